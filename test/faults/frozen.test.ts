import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertAcknowledgedAreThere, inParallel, issuesFor, startLoad } from '../support/load.ts';
import { campaign } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A server that is not dead but frozen, as a machine out of memory or a paused container is, with a transaction open and
// the campaign's row in its hand. The others must get the row before long; and when it wakes up, it must not believe that
// it still has it.

const deadlineMs = 1500;
const { env, sql } = await testDatabase();
const settings = { ...env, REQUEST_DEADLINE_MS: String(deadlineMs) };
const [frozen, healthy] = await Promise.all([serverProcess(settings), testServer(settings)]);
// A stopped process does not end of SIGTERM, nor hear of the end of its tests.
after(() => frozen.child.kill('SIGCONT'));

const holdsSomething = async () => {
  const { rows } = await sql.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
  );
  return rows.length > 0;
};

/** Stops it again and again, until it is stopped in the middle of a transaction. */
async function freezeInTransaction(): Promise<void> {
  await until('frozen in the middle of a transaction', 30_000, async () => {
    frozen.child.kill('SIGSTOP');
    // The database may still be at work on what it was sent last: look more than once.
    let looks = 0;
    while (looks < 4 && (await holdsSomething())) looks += 1;
    if (looks < 4) frozen.child.kill('SIGCONT');
    return looks === 4;
  });
}

const limit = 100_000;
const limitPerPlayer = 1000;

test('a frozen server gives its row up, and wakes up to no harm', async (t) => {
  const config = { bonus_limit: limit, bonus_limit_per_user: limitPerPlayer };
  const created = await call(healthy.url, 'CampaignCreate', campaign({ campaign_id: 'cold', config }));
  assert.equal(created.status, 200, created.text);
  const load = startLoad(frozen.url, issuesFor('cold', 300), 32);
  await until('acknowledged issues', 30_000, () => load.acknowledged() > 50);

  await freezeInTransaction();
  const [issue] = issuesFor('cold', 1);
  const waitedMs = await until('issued by the other server', deadlineMs * 4, async () => {
    return (await call(healthy.url, 'Issue', issue ?? {})).status === 200;
  });
  t.diagnostic(`the row was free after ${Math.round(waitedMs)} ms`);

  frozen.child.kill('SIGCONT');
  const before = load.acknowledged();
  await until('acknowledged issues again', 10_000, () => load.acknowledged() > before + 50);
  await load.stop();
  for (const { answer } of load.sent) {
    assert.ok(answer?.status === 200 || answer?.status === 503, `${answer?.status} ${answer?.text}`);
  }
  await assertAcknowledgedAreThere(healthy.url, load);
  const refused = load.sent.filter(({ answer }) => answer?.status === 503).map(({ issue }) => issue);
  await inParallel(refused, 16, async (issue) => {
    assert.equal((await call(frozen.url, 'Issue', issue)).status, 200);
  });
  await assertCountsHold(sql);
});
