import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, refused } from '../support/answers.ts';
import { call, post } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { metric } from '../support/webhooks.ts';

// A database whose disk is full: it reads, and refuses what it would have to write.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, WORKER: 'off' });
const refusals = () => metric(url, 'freebets_database_refusals_total{code="53100"}');

test('on a full disk writes fail, reads work, the server stays ready, and the metric counts', async () => {
  const { issue_id } = accepted('Issue', await call(url, 'Issue', directIssue()));
  assert.equal(await refusals(), 0);
  await sql.query(`
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON event_batches FOR EACH ROW EXECUTE FUNCTION no_room()`);
  const repeated = directIssue({ issue_id: crypto.randomUUID() });
  refused('unavailable', await call(url, 'Issue', repeated));
  accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
  const ready = await post(`${url}/readyz`, '', {}, 'GET');
  assert.deepEqual([ready.status, ready.body], [200, { status: 'ok' }]);
  await until('it is counted', 5000, async () => (await refusals()) > 0);
  await sql.query('DROP FUNCTION no_room CASCADE');
  accepted('Issue', await call(url, 'Issue', repeated));
});
