import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertActivityHolds } from '../support/activity.ts';
import { call, demo } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { issuesFor, startLoad } from '../support/load.ts';
import { campaign } from '../support/requests.ts';
import { type ServerProcess, serverProcess, testServer } from '../support/server.ts';

// Servers that count are killed in the middle of it, again and again, while one that does no work in the background goes on
// issuing: nothing is counted twice, and nothing is left out.

const kills = 1;
const { env, sql } = await testDatabase();
const issuing = await testServer({ ...env, WORKER: 'off' });
assert.equal((await call(issuing.url, 'CampaignCreate', campaign({ campaign_id: 'hot' }))).status, 200);

/** Whether a server has taken events and not counted them yet: it holds the lock on the head, or waits for its rows. */
const isCounting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'freebets background'
  AND backend_xid IS NOT NULL AND query LIKE '%activity%'`;

/** In the middle of a step, if one can be caught within some seconds. */
async function killWhileCounting(counting: ServerProcess): Promise<boolean> {
  const endsAt = performance.now() + 5000;
  while (performance.now() < endsAt) {
    const { rows } = await sql.query(isCounting);
    if (rows.length > 0) {
      await counting.end('SIGKILL');
      return true;
    }
    await delay(2);
  }
  await counting.end('SIGKILL');
  return false;
}

test('readers that are killed lose and double nothing', async (t) => {
  // A step takes long enough to be killed in it: each of its rows waits a moment.
  await sql.query(`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(0.03); RETURN NEW; END $$`);
  await sql.query('CREATE TRIGGER slowly BEFORE INSERT ON activity FOR EACH ROW EXECUTE FUNCTION slowly()');
  const load = startLoad(issuing.url, issuesFor('hot', 400), 8, demo, 10);
  let caught = 0;
  for (let i = 0; i < kills; i++) {
    const readers = await Promise.all([serverProcess(env), serverProcess(env)]);
    await delay(100 * Math.random());
    for (const reader of readers) caught += Number(await killWhileCounting(reader));
  }
  await load.stop();
  t.diagnostic(`${load.acknowledged()} issued, ${2 * kills} killed, ${caught} of them in the middle of a step`);
  assert.ok(caught > 0, 'none was killed while it was counting');
  await testServer(env);
  await assertActivityHolds(sql);
});
