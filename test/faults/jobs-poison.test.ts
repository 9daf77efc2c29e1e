import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxAttempts } from '../../packages/server/src/promo/jobs/end-rules.ts';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { onDatabase } from '../support/citus.ts';
import { testDatabase } from '../support/database.ts';
import { holdCampaign } from '../support/held-batch.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertEveryItemOnce, carriedOut, getJob, startJob } from '../support/jobs.ts';
import { times } from '../support/long.ts';
import { campaign, directJob, job, jobItems } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A job with an item that ends every process that tries it. The item hangs in the database, and the process is killed there.

/** Attempts that are not made, since each takes a process. */
const leftOut = times(5, 0);

const { env, sql } = await testDatabase();
await onDatabase(env.DATABASE_URL ?? '', async (client) => {
  await client.query('SET citus.enable_unsafe_triggers = on');
  await client.query(`CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(3600); RETURN NEW; END $$`);
  await client.query(
    `CREATE TRIGGER hang BEFORE INSERT ON free_bets FOR EACH ROW WHEN (NEW.player_id = 'poison-5') EXECUTE FUNCTION hang()`,
  );
});
const edge = await testServer({ ...env, WORKER: 'off' });
const hanging = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;

test('a step that kills its process counts as an attempt, until the job fails at that item', async (t) => {
  const request = directJob();
  const parts = [jobItems(30, 'good'), jobItems(20, 'poison')];
  await startJob(edge.url, request, parts);
  let kills = 0;
  for (let isOver = false; !isOver; ) {
    const server = await serverProcess({ ...env, REQUEST_DEADLINE_MS: '60000' });
    await until('it hangs, or the job failed', 60_000, async () => {
      isOver = (await getJob(edge.url, request)).status === 'failed';
      return isOver || (await sql.query(`SELECT ${hanging}`)).rowCount === 1;
    });
    await server.end('SIGKILL');
    if (isOver) break;
    kills++;
    assert.ok(kills < 20, 'the job does not go on for ever');
    await sql.query(`SELECT pg_terminate_backend(pid) ${hanging}`);
    await until('what it had sent is over', 10_000, async () => (await sql.query(`SELECT ${hanging}`)).rowCount === 0);
    // As if its lease had ended, and some of the attempts had been made already.
    await sql.query(
      'UPDATE jobs SET leased_until = clock_timestamp(), attempts = attempts + CASE attempts WHEN 4 THEN $1 ELSE 0 END',
      [leftOut],
    );
  }
  t.diagnostic(`${kills} processes were killed`);
  assert.ok(kills >= maxAttempts - leftOut && kills <= maxAttempts - leftOut + 4, `${kills} kills`);
  const { issued, remaining, failure } = await getJob(edge.url, request);
  assert.deepEqual(
    [issued, remaining, failure?.part, failure?.item],
    [35, 15, 2, 5],
    'the failure has the position of that item',
  );
  assert.equal(await carriedOut(sql, request), 35);

  await onDatabase(env.DATABASE_URL ?? '', (client) => client.query('DROP TRIGGER hang ON free_bets'));
  accepted('JobRetry', await call(edge.url, 'JobRetry', { job_id: request.job_id }));
  const { stop } = await testServer(env);
  await until('it is finished', 30_000, async () => (await getJob(edge.url, request)).status === 'finished');
  await assertEveryItemOnce(sql, edge.url, request, parts);
  await assertCountsHold(sql);
  await stop();
});

test('servers that end in order, again and again without progress, count no attempt', async () => {
  accepted('CampaignCreate', await call(edge.url, 'CampaignCreate', campaign({ campaign_id: 'held' })));
  const request = job('held');
  await startJob(edge.url, request, [jobItems(3, 'late')]);
  const held = await holdCampaign(sql, 'held');
  const attempts = async () =>
    (await sql.query('SELECT attempts FROM jobs WHERE job_id = $1', [request.job_id])).rows[0].attempts;
  for (let round = 0; round < 3; round++) {
    const { stop } = await testServer(env);
    await until('it is taken', 20_000, async () => (await attempts()) === 1);
    await stop();
    assert.equal(await attempts(), 0);
  }
  await held.letGo();
});
