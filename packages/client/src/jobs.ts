import type { Call, CallOptions } from './caller.ts';
import { FreebetsError, withRequest } from './freebets-error.ts';
import { itemsOfPart } from './operations.ts';
import type { JobCreateRequest, JobGetRequest } from './requests.ts';
import { pause } from './retry.ts';
import { encoder } from './signing.ts';
import type { Job, JobItem } from './things.ts';

// Hands a list of players over as a job, and follows what becomes of it. The list may be of any length: a few parts of it are
// in memory at a time. The same items are divided into the same parts every time, and every call is idempotent, so that what
// was broken off is done again with the same `job_id` and the same items: what the service has already is answered again,
// and what it has of another list under that id is refused.

type Items = AsyncIterable<JobItem> | Iterable<JobItem>;

/** How much of a job the service has taken. */
export interface Sent {
  parts: number;
  items: number;
}

/** A job as it is created; without a `job_id` one is made, and what is broken off is gone on with by that of the error's `request`. */
export type JobToRun = WithoutId<JobCreateRequest> & { job_id?: string };

type WithoutId<Request> = Request extends unknown ? Omit<Request, 'job_id'> : never;

export interface RunOptions extends CallOptions {
  /** How many parts are sent at a time; 3 when absent. A part takes up to 1 MiB of memory. */
  parallel?: number | undefined;
  onSent?: ((sent: Sent) => void) | undefined;
}

export interface WaitOptions extends CallOptions {
  onProgress?: ((job: Job) => void) | undefined;
}

/** What a partner can do with jobs beside the operations themselves. */
export interface JobRunner {
  /**
   * Creates a job, sends its items and starts it; the job as it stands then. One that was started before, by whomever, is
   * left as it is, and nothing is sent; one that was stopped is an error, `job_started`, and so is one that failed, `job_failed`: see
   * `retry`. A list without items is a `RangeError`, and no job is created.
   */
  run(items: Items, job: JobToRun, options?: RunOptions): Promise<Job>;
  /** Asks for a job until it is finished, failed or stopped. */
  wait(job: JobGetRequest, options?: WaitOptions): Promise<Job>;
}

/** A body has 1 MiB; this leaves room for what stands around the items. */
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

/** Nobody should take a list for handed over whose job issues nothing any more. */
async function runJob(...list: Parameters<typeof handOver>): Promise<Job> {
  const job = await handOver(...list);
  const { status, failure } = job;
  if (status !== 'stopped' && status !== 'failed') return job;
  const error = failure
    ? new FreebetsError('job_failed', `The job failed. ${failure.reason}`, { status: 409 })
    : new FreebetsError('job_started', 'The job was stopped.', { status: 409, code: 641 });
  throw failure || job.started_at ? ofStarted(error) : error;
}

async function handOver(call: Call, items: Items, job: JobCreateRequest, options: RunOptions): Promise<Job> {
  const { job_id } = job;
  const parts = partsOf(items);
  try {
    const first = await parts.next();
    if (first.done) throw new RangeError('The list has no items.');
    await call('JobCreate', job, options);
    // What Create answers is the job as it was created, whenever that was.
    const present = (await call('JobGet', { job_id }, options)) as Job;
    if (present.status !== 'open') return present;
    const sent = await sendParts(call, job_id, numbered(first.value, parts), options);
    return (await call('JobStart', { job_id, ...sent }, options)) as Job;
  } catch (error) {
    // Somebody else has started or stopped it meanwhile.
    if ((error as FreebetsError | undefined)?.name !== 'job_started') throw error;
    return (await call('JobGet', { job_id }, options).catch((unread) => {
      throw ofStarted(unread);
    })) as Job;
  } finally {
    await parts.return(undefined);
  }
}

/** Why a job that was started is not known as it stands. */
const ofStarted = (error: unknown): unknown =>
  error instanceof FreebetsError ? Object.assign(error, { mayHaveHappened: true }) : error;

/** The first part that fails ends the others: they take no more from the list, which is then closed. */
async function sendParts(call: Call, job_id: string, parts: NumberedParts, options: RunOptions): Promise<Sent> {
  const sent: Sent = { parts: 0, items: 0 };
  const send = async () => {
    for await (const { before, ...part } of parts) {
      await call('JobAdd', { job_id, ...part }, options).catch((error) => {
        throw ofWholeList(error, before);
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

/** With how many items there are before it. */
type NumberedParts = AsyncIterable<{ part: number; items: JobItem[]; before: number }>;

async function* numbered(first: JobItem[], others: AsyncIterable<JobItem[]>): NumberedParts {
  let [part, before] = [1, first.length];
  yield { part, items: first, before: 0 };
  for await (const items of others) {
    yield { part: ++part, items, before };
    before += items.length;
  }
}

/** Says which item of the list is wrong, where the service says which of its part is. */
function ofWholeList(error: unknown, before: number): unknown {
  if (!(error instanceof FreebetsError)) return error;
  for (const detail of error.details)
    detail.field = detail.field.replace(/(?<=^items\[)\d+/, (item) => `${before + Number(item)}`);
  return error;
}

/** As many items to a part as it may have, by their number and by their bytes. */
export async function* partsOf(items: Items): AsyncGenerator<JobItem[]> {
  let part: JobItem[] = [];
  let bytes = 0;
  for await (const item of items) {
    // With the comma behind it.
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

/** Nothing is made for an item of ordinary length: there may be millions. */
const scratch = new Uint8Array(3 * 1024);

const bytesIn = (text: string): number =>
  text.length * 3 > scratch.length ? encoder.encode(text).length : encoder.encodeInto(text, scratch).written;

const firstPauseMs = 100;
const longestPauseMs = 1000;

/** At first often, and then once a second. */
async function waitForJob(call: Call, job_id: string, { onProgress, ...options }: WaitOptions): Promise<Job> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const job = (await call('JobGet', { job_id }, options)) as Job;
    onProgress?.(job);
    if (['finished', 'failed', 'stopped'].includes(job.status)) return job;
    await pause(pauseMs, [options.signal]);
    options.signal?.throwIfAborted();
  }
}
