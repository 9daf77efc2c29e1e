import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { accepted } from '../support/answers.ts';
import { call, demo } from '../support/caller.ts';
import { onDatabase } from '../support/citus.ts';
import { citusUrl, testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import {
  assertEveryItemOnce,
  assertToldOnce,
  carriedOut,
  type JobRequest,
  jobOver,
  startJob,
} from '../support/jobs.ts';
import { assertAcknowledgedAreThere, issuesFor, startLoad } from '../support/load.ts';
import { times } from '../support/long.ts';
import { campaign, job, jobItems } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A server is killed while it carries out a job, another takes over, and is killed in its turn; while single requests take
// places of the same campaign, whose limit lies in the middle of the job.

const partSize = times(500, 700);
const items = 6 * partSize;
const kills = times(1, 2);
const limit = Math.round(items * 0.4);

const { env, sql } = await testDatabase();
// There are many steps, and each takes a while, so that every kill finds one under way, however late it comes.
await sql.query(`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN PERFORM pg_sleep(0.15); RETURN NEW; END $$`);
await onDatabase(env.DATABASE_URL ?? '', async (client) => {
  await client.query('SET citus.enable_unsafe_triggers = on');
  await client.query('CREATE TRIGGER slowly BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION slowly()');
});
const settings = { ...env, LANE_BATCH: times(32, 128).toString() };
const edge = await testServer({ ...settings, WORKER: 'off' });

const activity = citusUrl() === undefined ? 'pg_stat_activity' : 'citus_stat_activity';
const slowSteps = `SELECT FROM ${activity} WHERE datname = current_database() AND wait_event = 'PgSleep'`;

/** How long only the holder of the lease may run the job. */
async function leaseLeft({ job_id }: JobRequest): Promise<number> {
  const { rows } = await sql.query<{ ms: number }>(
    'SELECT round(1000 * extract(epoch FROM leased_until - clock_timestamp()))::int AS ms FROM jobs WHERE job_id = $1',
    [job_id],
  );
  return rows[0]?.ms ?? Number.NaN;
}

test('a job whose servers are killed in turn is carried out to the item, and the limit is exact', async (t) => {
  const config = { bonus_limit: limit };
  accepted('CampaignCreate', await call(edge.url, 'CampaignCreate', campaign({ campaign_id: 'hunted', config })));
  const request = job('hunted');
  const parts = Array.from({ length: 6 }, (_, i) => jobItems(partSize, `job-${i}`));
  let holder = await serverProcess(settings);
  await startJob(edge.url, request, parts);
  // With pauses, so that it takes places from the first step to the last, and leaves the processor to others.
  const load = startLoad(edge.url, issuesFor('hunted', 1000), 4, demo, 40);
  for (let kill = 1; kill <= kills; kill++) {
    const threshold = Math.round((items * kill) / (kills + 3));
    await until('this many are processed', 120_000, async () => (await carriedOut(sql, request)) >= threshold);
    await setTimeout(Math.random() * 20);
    await holder.end('SIGKILL');
    await until('what it had sent is over', 10_000, async () => (await sql.query(slowSteps)).rowCount === 0);
    const before = await carriedOut(sql, request);
    const leftMs = await leaseLeft(request);
    assert.ok(before < items, 'it was killed in the middle of the job');
    assert.ok(leftMs > 0 && leftMs < 10_000, `its lease lasts for ${leftMs} ms`);
    // There is no other server yet: this one takes over when the lease of the dead one ends.
    holder = await serverProcess(settings);
    const waitedMs = await until('it goes on', 60_000, async () => (await carriedOut(sql, request)) > before);
    t.diagnostic(`killed at ${before} with a lease of ${leftMs} ms, the next went on after ${Math.round(waitedMs)} ms`);
  }
  await jobOver(edge.url, request, 600_000);
  await load.stop();
  const over = await assertEveryItemOnce(sql, edge.url, request, parts);
  assert.deepEqual(Object.keys(over.refused), ['bonus_limit_reached']);
  const { counts } = accepted('CampaignGet', await call(edge.url, 'CampaignGet', { campaign_id: 'hunted' }));
  assert.equal(counts.issued, limit);
  assert.equal(over.issued + load.acknowledged(), limit);
  t.diagnostic(`${over.issued} issued by the job, ${load.acknowledged()} by single requests`);
  await assertAcknowledgedAreThere(edge.url, load);
  await assertCountsHold(sql);
  await assertToldOnce(sql, edge.url, request);
});
