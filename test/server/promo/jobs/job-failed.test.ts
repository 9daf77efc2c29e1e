import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { JobBody } from '@freebets/contract';
import { maxAttempts } from '../../../../packages/server/src/promo/jobs/end-rules.ts';
import { accepted, refused } from '../../../support/answers.ts';
import { call, rival } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { assertFoldsToRows } from '../../../support/fold.ts';
import { assertCountsHold } from '../../../support/invariants.ts';
import { addParts, getJob, jobOver, startJob } from '../../../support/jobs.ts';
import { freshMetrics } from '../../../support/metrics.ts';
import { campaign, directJob, job, jobItems } from '../../../support/requests.ts';
import { otherServer, testServer } from '../../../support/server.ts';
import { signedIn, staffCall } from '../../../support/staff.ts';
import { until } from '../../../support/waiting.ts';

// A job that fails, and what a partner and staff can do with it.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const { url: other } = await otherServer(env);

const retry = (job_id: string, at = url, partner?: typeof rival) => call(at, 'JobRetry', { job_id }, partner);
const stop = (job_id: string, at = url) => call(at, 'JobStop', { job_id });
const list = async (status: JobBody['status']) =>
  accepted('JobList', await call(url, 'JobList', { status, limit: 200 })).jobs.map(({ job_id }: JobBody) => job_id);

/** Two parts, the second with an item that no server can carry out at its second place. */
async function poison(request: { job_id: string }): Promise<{ parts: object[][]; good: string }> {
  const parts = [jobItems(3, randomUUID()), jobItems(4, randomUUID())];
  accepted('JobCreate', await call(url, 'JobCreate', request));
  await addParts(url, request, parts);
  const { rows } = await sql.query(
    `UPDATE job_parts p SET list = json_build_array(o.list -> 0, NULL, o.list -> 2, o.list -> 3) FROM job_parts o
     WHERE p.job_id = $1 AND p.part = 2 AND o.job_id = p.job_id AND o.part = 2 RETURNING o.list::text AS good`,
    [request.job_id],
  );
  return { parts, good: rows[0].good };
}

/** As if all attempts but the last had failed already, so that the test does not wait for them. */
const lastAttempt = ({ job_id }: { job_id: string }) =>
  sql.query('UPDATE jobs SET attempts = $2 WHERE job_id = $1', [job_id, maxAttempts]);

/** A job that has failed at the second item of its second part. */
async function failedJob(request: { job_id: string } = directJob()) {
  const made = await poison(request);
  accepted('JobStart', await call(url, 'JobStart', { job_id: request.job_id, parts: 2, items: 7 }));
  await until('it is at the item', 20_000, async () => (await getJob(url, request)).issued === 4);
  await until('it failed', 20_000, async () => {
    await lastAttempt(request);
    return (await getJob(url, request)).status === 'failed';
  });
  return { ...made, request, job_id: request.job_id };
}

const heal = (job_id: string, good: string) =>
  sql.query('UPDATE job_parts SET list = $2 WHERE job_id = $1 AND part = 2', [job_id, good]);

const typesOf = async (job_id: string) =>
  (await readFeed(url)).flatMap(({ type, data }) => ('job' in data && data.job.job_id === job_id ? [type] : []));

test('a failed job shows why and where it failed, blocks no later job, and continues after a retry', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'poisoned' })));
  const { job_id, request, good } = await failedJob(job('poisoned'));
  const later = directJob();
  await startJob(url, later, [jobItems(3)]);
  assert.equal((await jobOver(url, later)).issued, 3);

  const failed = await getJob(url, request);
  const { status, issued, remaining, per_second, eta, finished_at, stopped_at, failure } = failed;
  assert.deepEqual([status, issued, remaining], ['failed', 4, 3]);
  assert.deepEqual([per_second, eta, finished_at, stopped_at], [null, null, null, null]);
  assert.deepEqual([failure?.part, failure?.item], [2, 1]);
  assert.match(failure?.reason ?? '', /^The service could not process this item in 10 attempts\./);
  assert.ok(Math.abs(Date.parse(failure?.failed_at ?? '') - Date.now()) < 60_000);
  assert.deepEqual(await list('failed'), [job_id]);
  assert.equal((await list('finished')).includes(job_id), false);
  assert.match(await freshMetrics(url), /freebets_jobs_failed 1\n/);

  const again = await call(url, 'JobStart', { job_id, parts: 2, items: 7 });
  assert.deepEqual(accepted('JobStart', again), failed, 'another start changes nothing');
  refused('job_started', await call(url, 'JobAdd', { job_id, part: 3, items: jobItems(1) }));
  refused('job_not_found', await retry(job_id, url, rival));
  refused('job_not_found', await retry(randomUUID()));
  refused('invalid_request', await call(url, 'JobRetry', { job_id: 'x' }), ['job_id']);
  assert.deepEqual(await getJob(url, request), failed);

  await heal(job_id, good);
  const retried = accepted('JobRetry', await retry(job_id)) as JobBody;
  assert.deepEqual([retried.status, retried.issued, retried.remaining, retried.failure], ['running', 4, 3, null]);
  const over = await jobOver(url, request);
  assert.deepEqual([over.status, over.issued, over.remaining], ['finished', 7, 0]);
  assert.deepEqual(accepted('JobRetry', await retry(job_id)), over, 'a retry of a finished job returns it');
  assert.deepEqual(await typesOf(job_id), ['job.failed', 'job.finished']);
  const { counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'poisoned' }));
  assert.equal(counts.issued, 7);
  assert.match(await freshMetrics(url), /freebets_jobs_failed 0\n/);
});

test('a retried job that is still poisoned fails again, with its counts', async () => {
  const { job_id, request } = await failedJob();
  accepted('JobRetry', await retry(job_id));
  await until('it is tried', 20_000, async () => {
    const { rows } = await sql.query('SELECT attempts FROM jobs WHERE job_id = $1', [job_id]);
    return rows[0].attempts > 0;
  });
  await until('it failed again', 20_000, async () => {
    await lastAttempt(request);
    return (await getJob(url, request)).status === 'failed';
  });
  const { issued, remaining, failure } = await getJob(url, request);
  assert.deepEqual([issued, remaining, failure?.part, failure?.item], [4, 3, 2, 1]);
  assert.deepEqual(await typesOf(job_id), ['job.failed', 'job.failed']);
  accepted('JobStop', await stop(job_id));
});

test('a failed job keeps its parts until it is stopped', async () => {
  const { job_id, request } = await failedJob();
  const partsLeft = async () =>
    (await sql.query('SELECT count(*)::int AS n FROM job_parts WHERE job_id = $1', [job_id])).rows[0].n;
  assert.equal(await partsLeft(), 1);
  accepted('JobStop', await stop(job_id));
  accepted('JobStop', await stop(job_id));
  const { status, remaining, failure } = await getJob(url, request);
  assert.deepEqual([status, remaining, failure?.item], ['stopped', 3, 1]);
  await until('its parts are gone', 20_000, async () => (await partsLeft()) === 0);
  const body = accepted('JobRetry', await retry(job_id)) as JobBody;
  assert.equal(body.status, 'stopped', 'a stopped job stays stopped');
  assert.deepEqual(await typesOf(job_id), ['job.failed', 'job.stopped']);
});

test('a job ends once if it is retried and stopped at the same time on two servers', async () => {
  for (let round = 0; round < 4; round++) {
    const { job_id, request, good } = await failedJob();
    await heal(job_id, good);
    const racing = [retry(job_id), stop(job_id, other), retry(job_id, other), stop(job_id), retry(job_id)];
    for (const [i, answer] of (await Promise.all(racing)).entries()) {
      accepted(i % 2 === 0 ? 'JobRetry' : 'JobStop', answer);
    }
    const over = await jobOver(url, request);
    const types = await typesOf(job_id);
    assert.deepEqual(types, ['job.failed', `job.${over.status}`]);
    assert.equal(over.issued + over.remaining, 7);
    const { rows } = await sql.query(`SELECT count(*)::int AS n FROM jobs WHERE job_id = $1 AND failure IS NULL`, [
      job_id,
    ]);
    assert.equal(rows[0].n, over.status === 'finished' || over.failure === null ? 1 : 0);
  }
});

test('many retries at the same time on two servers resume it once', async () => {
  const { job_id, request, good, parts } = await failedJob();
  await heal(job_id, good);
  const bodies = await Promise.all(Array.from({ length: 20 }, (_, i) => retry(job_id, i % 2 ? url : other)));
  for (const answer of bodies) {
    const body = accepted('JobRetry', answer) as JobBody;
    assert.ok(['running', 'finished'].includes(body.status));
    assert.equal(body.issued + body.remaining, 7);
  }
  const over = await jobOver(url, request);
  assert.deepEqual([over.status, over.issued], ['finished', 7]);
  const players = parts.flat().map((item) => (item as { player_id: string }).player_id);
  const { rows } = await sql.query('SELECT player_id FROM free_bets WHERE player_id = ANY ($1)', [players]);
  assert.deepEqual(rows.map(({ player_id }) => player_id).toSorted(), players.toSorted());
});

test('managers and admins may retry, with a reason, and the audit log records it', async () => {
  const { job_id, good } = await failedJob();
  await heal(job_id, good);
  const body = { client_id: 1, job_id, reason: 'the item was repaired' };
  const path = '/FreeBets/Jobs/Retry';
  for (const role of ['viewer', 'support', 'auditor'] as const)
    assert.equal((await staffCall(url, path, body, await signedIn(sql, role))).body.error, 'not_allowed', role);
  const manager = await signedIn(sql, 'manager');
  const { reason: _, ...silent } = body;
  assert.equal((await staffCall(url, path, silent, manager)).body.error, 'invalid_request');
  const elsewhere = await signedIn(sql, 'manager', [2]);
  assert.equal((await staffCall(url, path, body, elsewhere)).status, 404);
  assert.equal((await staffCall(url, path, body, manager)).body.status, 'running');
  await staffCall(url, path, body, manager);
  const { rows } = await sql.query(
    `SELECT record::json ->> 'reason' AS reason, record::json -> 'before' ->> 'status' AS before, record::json -> 'after' ->> 'status' AS after
     FROM audit WHERE record::json ->> 'action' = 'JobRetry'`,
  );
  assert.deepEqual(rows, [{ reason: body.reason, before: 'failed', after: 'running' }]);
});

test('a job that failed thirty days ago by the clock of its partner is stopped, and its parts go', async () => {
  const { job_id, request } = await failedJob();
  const young = await failedJob();
  await sql.query(`UPDATE jobs SET finished_at = finished_at - interval '30 days' WHERE job_id = $1`, [job_id]);
  accepted('JobCreate', await call(url, 'JobCreate', directJob()));
  await until('it is stopped', 30_000, async () => (await getJob(url, request)).status === 'stopped');
  await until('its parts are gone', 30_000, async () => {
    const { rowCount } = await sql.query('SELECT FROM job_parts WHERE job_id = $1', [job_id]);
    return rowCount === 0;
  });
  assert.deepEqual(await typesOf(job_id), ['job.failed', 'job.stopped']);
  assert.equal((await getJob(url, young.request)).status, 'failed');
});

test('everything adds up, and every event folds to its rows', async () => {
  await setClock(sql, null);
  await assertCountsHold(sql);
  await assertFoldsToRows(sql, await readFeed(url));
});
