import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { isLostRace } from '../../../../packages/server/src/engine/faults.ts';
import { ask } from '../../../../packages/server/src/engine/statement.ts';
import { readConfig } from '../../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../../packages/server/src/ops/pools.ts';
import { getJob } from '../../../../packages/server/src/promo/jobs/sql/jobs.ts';
import {
  byWaitingTime,
  endOtherLeases,
  findPartnersWithJobs,
  findRunnableJobs,
  releaseJobLease,
  takeJob,
} from '../../../../packages/server/src/promo/jobs/sql/work.ts';
import { testDatabase } from '../../../support/database.ts';
import { rowsWalked } from '../../../support/plans.ts';

// Whose turn it is, and who has it.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));
const [ours, theirs] = [randomUUID(), randomUUID()];
await sql.query('INSERT INTO event_heads SELECT c, 0 FROM generate_series(1, 3) c ON CONFLICT DO NOTHING');
beforeEach(() => sql.query('DELETE FROM jobs'));

/** Inserts `count` jobs that begin one second apart, the first after `beginsInS`; returns the first. */
async function newJob(clientId: number, beginsInS: number, count = 1): Promise<string> {
  const { rows } = await sql.query<{ job_id: string }>(
    `INSERT INTO jobs (client_id, job_id, name, shared, start_at, content_hash, created_at, parts, items, started_at)
     SELECT $1, gen_random_uuid(), 'x', '{}', world_now() + ($2 + i) * interval '1 s', '\\x00', world_now(), 1, 1,
       world_now() - interval '1 hour'
     FROM generate_series(0, $3 - 1) i RETURNING job_id`,
    [clientId, beginsInS, count],
  );
  return rows[0]?.job_id ?? '';
}

const found = async (holder = ours) =>
  (await ask(sql, findRunnableJobs(holder, [1, 2, 3]))).sort(byWaitingTime).map(({ job_id }) => job_id);

const takeFor = async (holder: string, clientId: number, jobId: string) => {
  await ask(sql, endOtherLeases(clientId, jobId, holder));
  return ask(sql, takeJob(clientId, jobId, holder));
};

const walkedBy = (statement: Parameters<typeof rowsWalked>[1]) => rowsWalked(pools.background, statement, 'jobs');

test('jobs that are scheduled for later cost nothing, however many there are', async () => {
  await newJob(1, 1000, 20_000);
  await newJob(2, 1000, 500);
  const due = await newJob(2, -10);
  const queued = await newJob(3, -2500, 2000);
  for (const analyze of [false, true]) {
    if (analyze) await sql.query('ANALYZE jobs');
    assert.deepEqual(await found(), [queued, due]);
    const walked = await walkedBy(findRunnableJobs(ours, [1, 2, 3]));
    assert.ok(walked <= 10, `${walked} rows`);
    const toTake = await walkedBy(endOtherLeases(3, queued, ours));
    assert.ok(toTake <= 2, `${toTake} rows`);
  }
});

test('one row per partner shows whether a job is due, however many the partner has had or will have', async () => {
  await newJob(1, -9000, 5000);
  await sql.query('UPDATE jobs SET stopped_at = created_at');
  await newJob(2, 1000, 500);
  for (const analyze of [false, true]) {
    if (analyze) await sql.query('VACUUM ANALYZE jobs');
    for (const clientIds of [[1], [3], [1, 3]]) {
      assert.deepEqual(await ask(sql, findPartnersWithJobs(clientIds)), []);
      assert.equal(await walkedBy(findPartnersWithJobs(clientIds)), 0);
    }
    assert.deepEqual(await ask(sql, findPartnersWithJobs([1, 2, 3])), []);
    assert.equal(Math.round(await walkedBy(findPartnersWithJobs([1, 2, 3]))), 1);
  }
  await newJob(2, -10);
  assert.deepEqual(await ask(sql, findPartnersWithJobs([1, 2, 3])), [2]);
  assert.equal(Math.round(await walkedBy(findPartnersWithJobs([1, 2, 3]))), 1);
});

test('of each partner the first is found, unless another worker has one of its jobs', async () => {
  const first = await newJob(1, -20);
  const second = await newJob(1, -10);
  assert.deepEqual(await found(), [first]);
  assert.ok(await takeFor(theirs, 1, second));
  assert.deepEqual(await found(), []);
  assert.deepEqual(await found(theirs), [first]);
  await sql.query(`UPDATE jobs SET leased_until = clock_timestamp() - interval '1 ms' WHERE job_id = $1`, [second]);
  assert.deepEqual(await found(), [first]);
});

test('only one of a partner’s two jobs is leased at a time, to any holder', async () => {
  const [first, second] = [await newJob(1, -20), await newJob(1, -10)];
  const other = await newJob(2, -10);
  const takes = [takeFor(ours, 1, first), takeFor(theirs, 1, second)];
  const outcomes = await Promise.allSettled(takes);
  const taken = outcomes.filter(({ status }) => status === 'fulfilled');
  assert.equal(taken.length, 1);
  for (const one of outcomes) if (one.status === 'rejected') assert.ok(isLostRace(one.reason), String(one.reason));
  assert.ok(await takeFor(theirs, 2, other), 'another partner is another matter');
  const [held, free] = outcomes[0]?.status === 'fulfilled' ? [first, second] : [second, first];
  const late = randomUUID();
  await assert.rejects(takeFor(late, 1, free), isLostRace);
  assert.equal(await takeFor(late, 1, held), undefined);
  await sql.query(`UPDATE jobs SET leased_until = clock_timestamp() - interval '1 ms' WHERE job_id = $1`, [held]);
  assert.ok(await takeFor(late, 1, free));
  const { rows } = await sql.query('SELECT job_id FROM jobs WHERE client_id = 1 AND lease_holder IS NOT NULL');
  assert.deepEqual(rows, [{ job_id: free }]);
});

test('jobs that waited longest come first', async () => {
  const [a, b, c] = [await newJob(1, -10), await newJob(2, -30), await newJob(3, -20)];
  assert.deepEqual(await found(), [b, c, a]);
  assert.ok(await takeFor(ours, 2, b));
  assert.ok(await takeFor(ours, 3, c));
  await ask(sql, releaseJobLease(2, b, ours, false));
  assert.deepEqual(await found(), [a, b, c]);
});

test('the jobs of a disabled partner have no turn', async () => {
  const [one, two] = [await newJob(1, -20), await newJob(2, -10)];
  await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id = 1');
  assert.deepEqual(await found(), [two]);
  await sql.query('UPDATE partners SET disabled_at = NULL WHERE client_id = 1');
  assert.deepEqual(await found(), [one, two]);
});

test('a job shows a rate while it is leased, and none after the lease ended or was released', async () => {
  const job = await newJob(1, -10);
  const rate = async () => (await ask(sql, getJob(1, job)))?.job.perSecond;
  const work = async () => {
    assert.ok(await takeFor(ours, 1, job));
    await sql.query('UPDATE jobs SET per_second = 7 WHERE job_id = $1', [job]);
    assert.equal(await rate(), 7);
  };
  await work();
  await sql.query(`UPDATE jobs SET leased_until = clock_timestamp() - interval '1 ms' WHERE job_id = $1`, [job]);
  assert.equal(await rate(), null);
  await work();
  await ask(sql, releaseJobLease(1, job, ours, false));
  assert.equal(await rate(), null);
});
