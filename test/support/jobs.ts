import assert from 'node:assert/strict';
import type { JobBody, JobRefusal } from '@freebets/contract';
import type pg from 'pg';
import { accepted } from './answers.ts';
import { call, demo } from './caller.ts';
import { readFeed } from './feed.ts';
import { assertFoldsToRows } from './fold.ts';
import { until } from './waiting.ts';

// Creates jobs as a partner does, and checks their results.

export interface JobRequest {
  job_id: string;
}

export async function addParts(url: string, { job_id }: JobRequest, parts: object[][], partner = demo): Promise<void> {
  for (const [i, items] of parts.entries()) {
    accepted('JobAdd', await call(url, 'JobAdd', { job_id, part: i + 1, items }, partner));
  }
}

const startOf = ({ job_id }: JobRequest, parts: object[][]) => ({
  job_id,
  parts: parts.length,
  items: parts.reduce((sum, items) => sum + items.length, 0),
});

/** Creates a job, adds all its parts, and starts it. */
export async function startJob(url: string, job: JobRequest, parts: object[][], partner = demo): Promise<JobBody> {
  accepted('JobCreate', await call(url, 'JobCreate', job, partner));
  await addParts(url, job, parts, partner);
  return accepted('JobStart', await call(url, 'JobStart', startOf(job, parts), partner));
}

export const getJob = async (url: string, { job_id }: JobRequest, partner = demo): Promise<JobBody> =>
  accepted('JobGet', await call(url, 'JobGet', { job_id }, partner));

/** Waits until the job is finished or stopped. Retries while a server is down. */
export async function jobOver(url: string, job: JobRequest, timeoutMs = 20_000, partner = demo): Promise<JobBody> {
  let found: JobBody | undefined;
  await until(`job ${job.job_id} is over`, timeoutMs, async () => {
    const answer = await call(url, 'JobGet', { job_id: job.job_id }, partner).catch(() => undefined);
    if (answer?.status !== 200) return false;
    found = accepted('JobGet', answer) as JobBody;
    return found.finished_at !== null || found.stopped_at !== null;
  });
  return found as JobBody;
}

/** All refused items, page by page. */
export async function refusalsOf(
  url: string,
  { job_id }: JobRequest,
  limit = 1000,
  partner = demo,
): Promise<JobRefusal[]> {
  const refusals: JobRefusal[] = [];
  let cursor: string | null = null;
  do {
    const answer = await call(url, 'JobRefusals', { job_id, limit, ...(cursor !== null && { cursor }) }, partner);
    const page = accepted('JobRefusals', answer);
    assert.ok(page.refusals.length <= limit);
    refusals.push(...page.refusals);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return refusals;
}

const refusedOf = ({ refused }: JobBody): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/**
 * Asserts that every item was processed once: it has a free bet, or a refusal with its position. Each item has its
 * own player, which no other free bet has.
 */
export async function assertEveryItemOnce(
  sql: pg.Pool,
  url: string,
  job: JobRequest,
  parts: { player_id: string }[][],
): Promise<JobBody> {
  const body = await getJob(url, job);
  const items = parts.reduce((sum, part) => sum + part.length, 0);
  assert.deepEqual([body.status, body.remaining], ['finished', 0]);
  assert.equal(body.issued + refusedOf(body), items);
  const refusals = await refusalsOf(url, job);
  assert.equal(refusals.length, refusedOf(body));
  for (const { part, item, player_id } of refusals) assert.equal(parts[part - 1]?.[item]?.player_id, player_id);
  const players = parts.flat().map(({ player_id }) => player_id);
  const { rows } = await sql.query<{ player_id: string }>(
    'SELECT player_id FROM free_bets WHERE client_id = 1 AND player_id = ANY ($1)',
    [players],
  );
  const done = [...rows, ...refusals].map(({ player_id }) => player_id);
  assert.equal(rows.length, body.issued);
  assert.deepEqual(done.toSorted(), players.toSorted());
  return body;
}

/** Asserts that the feed has no gap, matches the rows, and has one event for the end of the job. */
export async function assertToldOnce(sql: pg.Pool, url: string, { job_id }: JobRequest): Promise<void> {
  const events = await readFeed(url);
  await assertFoldsToRows(sql, events);
  const emitted = events.flatMap(({ type, data }) => ('job' in data && data.job.job_id === job_id ? [type] : []));
  assert.deepEqual(emitted, ['job.finished']);
}

/** The number of processed items, read from the database. */
export async function carriedOut(sql: pg.Pool, { job_id }: JobRequest): Promise<number> {
  const { rows } = await sql.query(
    `SELECT issued + coalesce((SELECT sum(value::int) FROM json_each_text(refused)), 0)::int AS n FROM jobs WHERE job_id = $1`,
    [job_id],
  );
  return rows[0]?.n ?? 0;
}
