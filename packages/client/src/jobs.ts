import type { Call, CallOptions } from './caller.ts';
import { ConflictError, FreebetsError, withRequest } from './freebets-error.ts';
import { itemsOfPart } from './operations.ts';
import type { JobCreateRequest, JobGetRequest } from './requests.ts';
import { pause } from './retry.ts';
import { encoder } from './signing.ts';
import type { Job, JobItem } from './things.ts';

// Sends a list of players as a job, and follows its progress. The list may have any length: only a few parts are in
// memory at a time. The same items always give the same parts, and every call is idempotent. So you can resume an
// interrupted job with the same `job_id` and items: the service accepts parts that it has already, and refuses another
// list under that ID.

type Items = AsyncIterable<JobItem> | Iterable<JobItem>;

/** How much of a job the service has accepted. */
export interface Sent {
  parts: number;
  items: number;
}

/** A job to create. Without a `job_id` the client makes one; to resume, take it from the `request` of the error. */
export type JobToRun = WithoutId<JobCreateRequest> & { job_id?: string };

type WithoutId<Request> = Request extends unknown ? Omit<Request, 'job_id'> : never;

export interface RunOptions extends CallOptions {
  /** The number of parts sent in parallel; 3 if absent. A part takes up to 1 MiB of memory. */
  parallel?: number | undefined;
  onSent?: ((sent: Sent) => void) | undefined;
}

export interface WaitOptions extends CallOptions {
  onProgress?: ((job: Job) => void) | undefined;
}

/** Methods for jobs that combine several operations. */
export interface JobRunner {
  /**
   * Creates a job, sends its items, starts it, and returns it. A job that was started before is returned unchanged, and
   * nothing is sent. Throws `job_started` for a stopped job, and `job_failed` for a failed one: see `retry`. Throws a
   * `RangeError` for an empty list, without creating a job.
   */
  run(items: Items, job: JobToRun, options?: RunOptions): Promise<Job>;
  /** Polls a job until it is finished, failed or stopped. */
  wait(job: JobGetRequest, options?: WaitOptions): Promise<Job>;
}

/** A body may have 1 MiB. This leaves room for the fields around the items. */
const bytesOfPart = 1024 * 1024 - 1024;

export const jobRunnerOf = (call: Call): JobRunner => ({
  run(items, job, options = {}) {
    if (job.job_id !== undefined) return runJob(call, items, job as JobCreateRequest, options);
    const made = { job_id: crypto.randomUUID() };
    return runJob(call, items, { ...job, ...made }, options).catch((error) => {
      throw withRequest(error, made);
    });
  },
  wait: ({ job_id }, options = {}) => waitForJob(call, job_id, options),
});

/** Throws for a stopped or failed job, because it issues nothing more. */
async function runJob(...list: Parameters<typeof createAndSend>): Promise<Job> {
  const job = await createAndSend(...list);
  const { status, failure } = job;
  if (status !== 'stopped' && status !== 'failed') return job;
  const error = failure
    ? new ConflictError('job_failed', `The job failed. ${failure.reason}`, { status: 409 })
    : new ConflictError('job_started', 'The job was stopped.', { status: 409, code: 641 });
  throw failure || job.started_at ? markStarted(error) : error;
}

async function createAndSend(call: Call, items: Items, job: JobCreateRequest, options: RunOptions): Promise<Job> {
  const { job_id } = job;
  const parts = partsOf(items);
  try {
    const first = await parts.next();
    if (first.done) throw new RangeError('The list has no items.');
    await call('JobCreate', job, options);
    // JobCreate returns the job as it was first created, so read its current state.
    const present = (await call('JobGet', { job_id }, options)) as Job;
    if (present.status !== 'open') return present;
    const sent = await sendParts(call, job_id, numbered(first.value, parts), options);
    return (await call('JobStart', { job_id, ...sent }, options)) as Job;
  } catch (error) {
    // Another process has started or stopped the job meanwhile.
    if ((error as FreebetsError | undefined)?.name !== 'job_started') throw error;
    return (await call('JobGet', { job_id }, options).catch((unread) => {
      throw markStarted(unread);
    })) as Job;
  } finally {
    await parts.return(undefined);
  }
}

/** Marks an error of a started job as one that may have happened. */
const markStarted = (error: unknown): unknown =>
  error instanceof FreebetsError ? Object.assign(error, { mayHaveHappened: true }) : error;

/** Sends parts in parallel. After a failure the other senders take no more parts, and the list is closed. */
async function sendParts(call: Call, job_id: string, parts: NumberedParts, options: RunOptions): Promise<Sent> {
  const sent: Sent = { parts: 0, items: 0 };
  const send = async () => {
    for await (const { before, ...part } of parts) {
      await call('JobAdd', { job_id, ...part }, options).catch((error) => {
        throw withListIndexes(error, before);
      });
      sent.parts += 1;
      sent.items += part.items.length;
      options.onSent?.({ ...sent });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.max(options.parallel ?? 3, 1) }, send));
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return sent;
}

/** Parts with the number of items before them. */
type NumberedParts = AsyncIterable<{ part: number; items: JobItem[]; before: number }>;

async function* numbered(first: JobItem[], others: AsyncIterable<JobItem[]>): NumberedParts {
  let [part, before] = [1, first.length];
  yield { part, items: first, before: 0 };
  for await (const items of others) {
    yield { part: ++part, items, before };
    before += items.length;
  }
}

/** Changes item indexes in the error from positions in the part to positions in the list. */
function withListIndexes(error: unknown, before: number): unknown {
  if (!(error instanceof FreebetsError)) return error;
  for (const detail of error.details)
    detail.field = detail.field.replace(/(?<=^items\[)\d+/, (item) => `${before + Number(item)}`);
  return error;
}

/** Groups items into parts as large as the limits on items and bytes allow. */
export async function* partsOf(items: Items): AsyncGenerator<JobItem[]> {
  let part: JobItem[] = [];
  let bytes = 0;
  for await (const item of items) {
    // Includes the comma.
    const itemBytes = bytesIn(JSON.stringify(item)) + 1;
    if (part.length === itemsOfPart || (part.length > 0 && bytes + itemBytes > bytesOfPart)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += itemBytes;
  }
  if (part.length > 0) yield part;
}

/** Avoids an allocation for each item of ordinary length, because there may be millions. */
const scratch = new Uint8Array(3 * 1024);

const bytesIn = (text: string): number =>
  text.length * 3 > scratch.length ? encoder.encode(text).length : encoder.encodeInto(text, scratch).written;

const firstPauseMs = 100;
const longestPauseMs = 1000;

/** Polls often at first, then once a second. */
async function waitForJob(call: Call, job_id: string, { onProgress, ...options }: WaitOptions): Promise<Job> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const job = (await call('JobGet', { job_id }, options)) as Job;
    onProgress?.(job);
    if (['finished', 'failed', 'stopped'].includes(job.status)) return job;
    await pause(pauseMs, [options.signal]);
    options.signal?.throwIfAborted();
  }
}
