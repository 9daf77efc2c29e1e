import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertEveryItemOnce, assertToldOnce, carriedOut, jobOver, startJob } from '../support/jobs.ts';
import { times } from '../support/long.ts';
import { campaign, job, jobItems } from '../support/requests.ts';
import { otherServer, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// The database goes away while a job is carried out: for a while, as when it is restarted, and in the middle of a COMMIT,
// without an outcome for the caller.

const { env, sql } = await testDatabase();
const settings = { ...env, LANE_BATCH: '32' };
const edge = await testServer({ ...settings, WORKER: 'off' });
const proxy = await databaseProxy(settings);
await otherServer(proxy.env);
const parts = (prefix: string) => Array.from({ length: 4 }, (_, i) => jobItems(times(400, 700), `${prefix}-${i}`));

async function newCampaign(campaign_id: string): Promise<string> {
  accepted('CampaignCreate', await call(edge.url, 'CampaignCreate', campaign({ campaign_id })));
  return campaign_id;
}

const isWriting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'freebets%'
  AND backend_xid IS NOT NULL`;

test('a restart of the database in the middle of a job leaves nothing out and doubles nothing', async () => {
  const request = job(await newCampaign('restarted'));
  await startJob(edge.url, request, parts('restart'));
  await until('it has begun', 20_000, async () => (await carriedOut(sql, request)) > 100);
  await proxy.refuse();
  // A commit that was on its way when the connection was lost is carried out all the same.
  await until('no transaction is under way', 5000, async () => (await sql.query(isWriting)).rows.length === 0);
  const before = await carriedOut(sql, request);
  await setTimeout(1500);
  await proxy.back();
  assert.equal(await carriedOut(sql, request), before, 'nothing goes on without the database');
  await jobOver(edge.url, request, 60_000);
  await assertEveryItemOnce(sql, edge.url, request, parts('restart'));
  await assertToldOnce(sql, edge.url, request);
});

test('a connection that is lost at COMMIT leaves nothing out and doubles nothing', async (t) => {
  const request = job(await newCampaign('cut'));
  let commits = 0;
  let cuts = 0;
  proxy.atCommit = () => {
    commits++;
    if (commits % 7 !== 0) return 'pass';
    cuts++;
    return cuts % 2 === 0 ? 'cut before' : 'cut after';
  };
  await startJob(edge.url, request, parts('cut'));
  await jobOver(edge.url, request, 60_000);
  proxy.atCommit = () => 'pass';
  t.diagnostic(`${commits} commits, ${cuts} of them cut`);
  assert.ok(cuts >= 4);
  await assertEveryItemOnce(sql, edge.url, request, parts('cut'));
  await assertCountsHold(sql);
  await assertToldOnce(sql, edge.url, request);
});
