import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import { openHub } from '../../../../packages/server/src/events/live/hub.ts';
import { createSignal } from '../../../../packages/server/src/primitives/signal.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// The stream of the console while the data of one partner can't be read.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const partners = [
  { broken: demo, healthy: rival },
  { broken: rival, healthy: demo },
];

for (const { broken, healthy } of partners) {
  test(`partner ${healthy.clientId} gets its events while every read of partner ${broken.clientId} fails`, async () => {
    const connection = { connectionString: env.DATABASE_URL as string };
    const pool = openPool({ connection, max: 2, queryTimeoutMs: 10_000, applicationName: 'hub' });
    const faults: unknown[] = [];
    const hub = openHub({
      pool,
      partnerProfile: () => assert.fail(),
      isDatabaseUp: () => true,
      committed: createSignal<[clientId: number]>(),
      onFault: (error) => faults.push(error),
    });
    const heard: string[] = [];
    const leave = await hub.join(null, { send: (frame) => heard.push(frame.toString()), end() {} });
    const hears = (issueId: string) => until(issueId, 10_000, () => heard.some((frame) => frame.includes(issueId)));
    const issue = async (caller: typeof demo) =>
      accepted('Issue', await call(url, 'Issue', directIssue(), caller)).issue_id;

    await sql.query(`
      CREATE FUNCTION break_events() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.events = '[null]'; RETURN NEW; END $$;
      CREATE TRIGGER break_events BEFORE INSERT ON event_batches FOR EACH ROW
        WHEN (NEW.client_id = ${broken.clientId}) EXECUTE FUNCTION break_events()`);
    const lost = await issue(broken);
    await hears(await issue(healthy));
    await until('faults are reported', 10_000, () => faults.length > 1);
    await hears(await issue(healthy));
    assert.ok(!heard.some((frame) => frame.includes(lost)));
    await sql.query('DROP FUNCTION break_events CASCADE');
    leave();
    await hub.stop();
    await pool.end();
  });
}
