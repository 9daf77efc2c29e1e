import assert from 'node:assert/strict';
import type { JobBody, JobRefusal } from '@freebets/contract';
import { accepted } from './answers.ts';
import { call, demo } from './caller.ts';
import { until } from './waiting.ts';

// Jobs as a partner hands them over, and what has become of them.

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

/** Creates it, adds all its parts, and starts it. */
export async function startJob(url: string, job: JobRequest, parts: object[][], partner = demo): Promise<JobBody> {
  accepted('JobCreate', await call(url, 'JobCreate', job, partner));
  await addParts(url, job, parts, partner);
  return accepted('JobStart', await call(url, 'JobStart', startOf(job, parts), partner));
}

export const getJob = async (url: string, { job_id }: JobRequest, partner = demo): Promise<JobBody> =>
  accepted('JobGet', await call(url, 'JobGet', { job_id }, partner));

/** The job when it is finished or stopped. A server that is away at the moment is asked again. */
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

/** All of them, page by page. */
export async function refusalsOf(url: string, { job_id }: JobRequest, limit = 1000): Promise<JobRefusal[]> {
  const refusals: JobRefusal[] = [];
  let cursor: string | null = null;
  do {
    const answer = await call(url, 'JobRefusals', { job_id, limit, ...(cursor !== null && { cursor }) });
    const page = accepted('JobRefusals', answer);
    assert.ok(page.refusals.length <= limit);
    refusals.push(...page.refusals);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return refusals;
}

export const refusedOf = ({ refused }: JobBody): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0);
