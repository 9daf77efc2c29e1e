import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { call, rival } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { draftCall, inEuro, submitted } from '../support/drafts.ts';
import { holdRows, manyWait } from '../support/held-batch.ts';
import { whileHeld } from '../support/held-table.ts';
import { directIssue } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { newPerson, signIn } from '../support/sign-in.ts';
import { signedIn, staffCall } from '../support/staff.ts';
import { until } from '../support/waiting.ts';

// A server is frozen in the middle of a staff action or of background work. The locks that it holds then are waited for by
// partners and by people who sign in, at all servers: they must get them soon.

const { env, sql } = await testDatabase();
const settings = { ...env, REQUEST_DEADLINE_MS: '1500', APPROVAL_LIMITS: 'EUR:1' };
const [frozen, healthy] = await Promise.all([serverProcess(settings), testServer({ ...settings, WORKER: 'off' })]);
// A stopped process does not end of SIGTERM, nor hear of the end of its tests.
afterEach(() => frozen.child.kill('SIGCONT'));
const soonMs = 6000;

test('frozen while one person approves a draft and another signs out', async (t) => {
  const newManager = () => signedIn(sql, 'manager');
  const [author, approver, leaving] = [await newManager(), await newManager(), await newManager()];
  const name = await submitted(healthy.url, inEuro(5000), author);
  const person = await newPerson(sql);
  assert.equal((await signIn(healthy.url, person)).status, 200);
  const heads = await holdRows(sql, 'SELECT FROM audit_heads WHERE client_id IN (0, 1) FOR UPDATE');
  const cut = [
    draftCall(frozen.url, 'DraftApprove', name, approver),
    staffCall(frozen.url, '/Session/SignOut', {}, leaving),
  ];
  await manyWait(sql, 2);
  frozen.child.kill('SIGSTOP');
  await heads.letGo();
  const [issuedMs, enteredMs] = await Promise.all([
    until('a free bet is issued', soonMs, async () => (await call(healthy.url, 'Issue', directIssue())).status === 200),
    until('a person signs in', soonMs, async () => (await signIn(healthy.url, person)).status === 200),
  ]);
  t.diagnostic(`issued after ${Math.round(issuedMs)} ms, signed in after ${Math.round(enteredMs)} ms`);
  frozen.child.kill('SIGCONT');
  for (const { status } of await Promise.all(cut)) assert.equal(status, 503);
  assert.equal((await draftCall(frozen.url, 'DraftApprove', name, approver)).status, 200);
});

test('frozen while it deactivates a partner', async (t) => {
  const issue = async (url: string) => (await call(url, 'Issue', directIssue(), rival)).status === 200;
  assert.ok(await issue(frozen.url));
  await whileHeld(sql, 'webhooks', async () => {
    await sql.query(
      `UPDATE due_partners SET awake_until = statement_timestamp() - interval '1 second' WHERE client_id = 2`,
    );
    await until('it deactivates it', 20_000, async () => {
      const { rows } = await sql.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND query LIKE 'UPDATE webhooks SET lease_holder = NULL%'`,
      );
      return rows.length > 0;
    });
    frozen.child.kill('SIGSTOP');
  });
  const issuedMs = await until('a free bet is issued', soonMs, () => issue(healthy.url));
  t.diagnostic(`issued after ${Math.round(issuedMs)} ms`);
  frozen.child.kill('SIGCONT');
  assert.ok(await issue(frozen.url));
});
