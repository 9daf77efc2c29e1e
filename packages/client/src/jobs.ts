import type { JobBody, JobItem, JobRefusal, maxItemsOfPart, RequestOf } from '@freebets/contract';
import type { Client } from './client.ts';
import { FreebetsError } from './freebets-error.ts';
import { pause } from './retry.ts';

// Hands a list of players over as a job, and follows what becomes of it. The list may be of any length: a few parts of it are
// in memory at a time. The same items are divided into the same parts every time, and every call is idempotent, so that what
// was broken off is done again with the same `job_id` and the same items: what the service has already is answered again,
// and what it has of another list under that id is refused.

type Items = AsyncIterable<JobItem> | Iterable<JobItem>;
type JobKey = RequestOf<'JobGet'>;

/** How much of a job the service has taken. */
export interface Sent {
  parts: number;
  items: number;
}

/** The type is the number of the contract. */
const itemsOfPart: typeof maxItemsOfPart = 5000;
/** A body has 1 MiB; this leaves room for what stands around the items. */
const bytesOfPart = 1024 * 1024 - 1024;
const partsUnderWay = 3;

/**
 * Creates a job, sends its items and starts it; the job as it stands then. One that was started before, by whomever, is
 * left as it is, and nothing is sent.
 */
export async function runJob(
  client: Client,
  job: RequestOf<'JobCreate'>,
  items: Items,
  onSent: (sent: Sent) => void = () => {},
): Promise<JobBody> {
  const { client_id, job_id } = job;
  await client.call('JobCreate', job);
  // What Create answers is the job as it was created, whenever that was.
  const present = await client.call('JobGet', { client_id, job_id });
  if (present.status !== 'open') return present;
  try {
    const sent = await sendParts(client, { client_id, job_id }, items, onSent);
    return await client.call('JobStart', { client_id, job_id, ...sent });
  } catch (error) {
    // Somebody else has started or stopped it meanwhile.
    if (!(error instanceof FreebetsError) || error.name !== 'job_started') throw error;
    return client.call('JobGet', { client_id, job_id });
  }
}

/** The first part that fails ends the others: they take no more from the list, which is then closed. */
async function sendParts(client: Client, key: JobKey, items: Items, onSent: (sent: Sent) => void): Promise<Sent> {
  const sent: Sent = { parts: 0, items: 0 };
  const parts = numbered(partsOf(items));
  const send = async () => {
    for await (const part of parts) {
      await client.call('JobAdd', { ...key, ...part });
      sent.parts += 1;
      sent.items += part.items.length;
      onSent({ ...sent });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: partsUnderWay }, send));
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return sent;
}

async function* numbered(parts: AsyncIterable<JobItem[]>) {
  let part = 0;
  for await (const items of parts) yield { part: ++part, items };
}

/** As many items to a part as it may have, by their number and by their bytes. */
export async function* partsOf(items: Items): AsyncGenerator<JobItem[]> {
  let part: JobItem[] = [];
  let bytes = 0;
  for await (const item of items) {
    // With the comma behind it.
    const itemBytes = bytesIn(JSON.stringify(item)) + 1;
    if (part.length === itemsOfPart || bytes + itemBytes > bytesOfPart) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += itemBytes;
  }
  if (part.length > 0) yield part;
}

const encoder = new TextEncoder();
/** Nothing is made for an item of ordinary length: there may be millions. */
const scratch = new Uint8Array(3 * 1024);

const bytesIn = (text: string): number =>
  text.length * 3 > scratch.length ? encoder.encode(text).length : encoder.encodeInto(text, scratch).written;

const firstPauseMs = 100;
const longestPauseMs = 1000;

/** Asks for a job until it is finished or stopped, at first often and then once a second. */
export async function waitForJob(
  client: Client,
  { client_id, job_id }: JobKey,
  { onProgress = () => {}, signal }: { onProgress?: (job: JobBody) => void; signal?: AbortSignal | undefined } = {},
): Promise<JobBody> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const job = await client.call('JobGet', { client_id, job_id });
    onProgress(job);
    if (job.status === 'finished' || job.status === 'stopped') return job;
    await pause(pauseMs, signal);
    signal?.throwIfAborted();
  }
}

const refusalsOfPage = 1000;

/** Every item that a job was refused so far, in the order in which they were carried out. */
export async function* refusalsOf(client: Client, { client_id, job_id }: JobKey): AsyncGenerator<JobRefusal> {
  let cursor: string | null = null;
  do {
    const page: { refusals: JobRefusal[]; next_cursor: string | null } = await client.call('JobRefusals', {
      client_id,
      job_id,
      limit: refusalsOfPage,
      ...(cursor !== null && { cursor }),
    });
    yield* page.refusals;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
