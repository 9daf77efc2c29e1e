import type { Partner } from '@freebets/client';
import type { JobBody, JobStatus } from '@freebets/contract';
import { validateRequest } from '../calls/validation.ts';
import type { Config } from '../ops/config.ts';
import { Failure } from '../primitives/failure.ts';
import { type Arguments, command, type Terminal, table, writeAll } from './command.ts';
import { type JobShown, jobSummary, refusalLines, refusedCount, withWaiting, writeRefusals } from './job-progress.ts';
import { asPartner, type CallOptions, type PartnerCalls } from './server-calls.ts';

// Lists, shows, retries and stops the jobs of a partner.

export const list = command({
  run: (config, { options }: Arguments<[], CallOptions & { status?: JobStatus; limit?: string }>) =>
    asPartner(config, options, undefined, ({ interactive }) => jobsOf(interactive, options)),
  show: (jobs) =>
    table(
      ['JOB_ID', 'NAME', 'STATUS', 'CREATED', 'ITEMS', 'ISSUED', 'REFUSED', 'LEFT'],
      jobs.map((job) => [
        job.job_id,
        job.name,
        job.waiting === undefined ? job.status : `${job.status} (campaign paused)`,
        job.created_at.slice(0, 16).replace('T', ' '),
        ...[job.items, job.issued, refusedCount(job), job.remaining].map(String),
      ]),
    ),
});

const mostListed = 1000;

async function jobsOf(
  partner: Partner,
  { status, limit = '50' }: { status?: JobStatus; limit?: string },
): Promise<JobShown[]> {
  const wanted = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (wanted < 1 || wanted > mostListed) throw new Failure(`--limit must be a whole number from 1 to ${mostListed}.`);
  const jobs: JobShown[] = [];
  const shown = withWaiting(partner);
  const request = { limit: Math.min(wanted, 200), ...(status !== undefined && { status }) };
  for await (const job of partner.jobs.list(request)) {
    jobs.push(await shown(job));
    if (jobs.length === wanted) break;
  }
  return jobs;
}

type JobArguments<Options extends object = object> = Arguments<[string], CallOptions & Options>;

/** Runs `work` on the job that the first argument names. */
function withJob<T>(
  config: Config,
  { positionals: [jobId], options }: JobArguments,
  signal: AbortSignal | undefined,
  work: (calls: PartnerCalls, key: { job_id: string }) => Promise<T>,
): Promise<T> {
  return asPartner(config, options, signal, (calls) => {
    const request = { client_id: calls.clientId, job_id: jobId };
    if (validateRequest('JobGet', request).length > 0)
      throw new Failure('JOB_ID must be a UUID: see "freebets job list".');
    const { client_id: _, ...key } = request;
    return work(calls, key).catch((error) => {
      throw error.name === 'job_not_found' ? new Failure(`Partner ${calls.clientId} has no job ${key.job_id}.`) : error;
    });
  });
}

export const show = command({
  run: (config, given: JobArguments) =>
    withJob(config, given, undefined, async ({ interactive }, key) =>
      withWaiting(interactive)(await interactive.jobs.get(key)),
    ),
  show: (job) => [`${job.name}:`, jobSummary(job), ...timesOf(job)].join('\n'),
});

const timesOf = ({ created_at, started_at, finished_at, stopped_at, failure, eta }: JobBody): string[] =>
  [
    ['Created', created_at],
    ['Started', started_at],
    ['Finished', finished_at],
    ['Failed', failure?.failed_at ?? null],
    ['Stopped', stopped_at],
    ['Likely to end', eta],
  ].flatMap(([what, time]) => (time === null ? [] : [`${what}: ${time}`]));

export const retry = command({
  run: (config, given: JobArguments) =>
    withJob(config, given, undefined, ({ interactive }, key) => interactive.jobs.retry(key)),
  show: jobSummary,
});

export const stop = command({
  run: (config, given: JobArguments) =>
    withJob(config, given, undefined, async ({ interactive }, key) => {
      await interactive.jobs.stop(key);
      return interactive.jobs.get(key).catch(() => {
        throw new Failure(stoppedUnread(key.job_id));
      });
    }),
  show: jobSummary,
});

/** Stop returns the same response for a job that had already finished. */
const stoppedUnread = (jobId: string): string =>
  `Job ${jobId} was stopped or had already finished, so it issues nothing more. Its result could not be read: see "freebets job show ${jobId}".`;

export const refusals = command({
  run: (config, given: JobArguments<{ file?: string }>, terminal: Terminal) => {
    const { file, json = false } = given.options;
    const stopped = terminal.stopSignal();
    return withJob(config, given, stopped, async ({ interactive, persistent }, key) => {
      // Fails here for an unknown job, before it creates a file.
      await interactive.jobs.get(key);
      const all = persistent.jobs.refusals(key);
      if (file !== undefined) return { file, refusals: await writeRefusals(file, all, stopped) };
      return writeAll(terminal, refusalLines(all, json), stopped);
    });
  },
  show: (written) => (written === undefined ? '' : `Refused items written to ${written.file}: ${written.refusals}.`),
});
