import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertEveryItemOnce, assertToldOnce, carriedOut, jobOver, startJob } from '../support/jobs.ts';
import { campaign, job, jobItems } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A server that carries out a job is frozen, as a paused container is; another takes the job over, and the first one wakes up
// in the belief that it still has it.

const { env, sql } = await testDatabase();
/** What a frozen server has in its hand is taken from it after as long. Callers, on a slow day, need longer, and ask another. */
const settings = { ...env, LANE_BATCH: '16', REQUEST_DEADLINE_MS: '1500' };
const { url } = await testServer({ ...env, WORKER: 'off' });

test('a worker that was frozen wakes up to no harm', async (t) => {
  const frozen = await serverProcess(settings);
  // A stopped process does not hear of the end of its tests.
  after(() => frozen.child.kill('SIGCONT'));
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'cold' })));
  const request = job('cold');
  const parts = Array.from({ length: 4 }, (_, i) => jobItems(500, `job-${i}`));
  await startJob(url, request, parts);
  await until('it has begun', 20_000, async () => (await carriedOut(sql, request)) > 100);
  frozen.child.kill('SIGSTOP');
  const before = await carriedOut(sql, request);
  assert.ok(before < 1900, 'there is something left');
  await serverProcess(settings);
  const waitedMs = await until('it goes on', 12_000, async () => (await carriedOut(sql, request)) > before + 16);
  t.diagnostic(`frozen at ${before}, went on after ${Math.round(waitedMs)} ms`);
  frozen.child.kill('SIGCONT');
  await jobOver(url, request, 60_000);
  const over = await assertEveryItemOnce(sql, url, request, parts);
  assert.equal(over.issued, 2000);
  await assertCountsHold(sql);
  await assertToldOnce(sql, url, request);
});
