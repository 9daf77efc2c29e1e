import { FreebetsError, type IssueBatchRequest, type IssueItem } from '@freebets/client';
import type { ItemError, JobBody, JobItem, RequestOf } from '@freebets/contract';
import { madeIssueId } from '../domain/job.ts';
import { maxBodyBytes } from '../http/bodies.ts';
import type { CheckedList } from './job-list-check.ts';
import { figure } from './job-progress.ts';
import { refusedIn } from './job-sentence.ts';
import type { PartnerCalls } from './partner-client.ts';

// What would become of a list, without anything being sent: its first items are asked for as a dry run, as many as one request
// can hold.

export interface Tried {
  stage: 'dry_run';
  job_id: string;
  items: number;
  parts: number;
  /** How many were asked for; null where the server knows no dry runs. */
  tried: number | null;
  refused: { line: number; player_id: string; error: ItemError }[];
}

interface ToTry {
  calls: PartnerCalls;
  request: RequestOf<'JobCreate'>;
  checked: CheckedList;
}

export async function dryRun({ calls, request, checked }: ToTry): Promise<Tried> {
  const { items, parts, sample, lineOf } = checked;
  const asked = batchOf(request, sample);
  const results = await tryItems(calls, asked);
  const refused = sample.flatMap(({ player_id }, i) => {
    const result = results?.[i];
    return result !== undefined && 'error' in result ? [{ line: lineOf(1, i), player_id, error: result.error }] : [];
  });
  return {
    stage: 'dry_run',
    job_id: request.job_id,
    items,
    parts,
    tried: results === null ? null : asked.items.length,
    refused,
  };
}

/** The first items as the job would issue them, with its ids: what it has issued before is found again. */
function batchOf(request: RequestOf<'JobCreate'>, sample: JobItem[]): IssueBatchRequest {
  const { client_id, job_id, start_at: _, ...shared } = request;
  const terms = 'campaign_id' in shared ? { campaign_id: shared.campaign_id } : shared;
  const batch: IssueBatchRequest = { dry_run: true, items: [] };
  let bytes = bytesOf({ client_id, ...batch });
  for (const [i, item] of sample.entries()) {
    // An item for a campaign says nothing of its own: that was checked.
    const whole = { issue_id: madeIssueId(job_id, 1, i), ...terms, ...item } as IssueItem;
    bytes += bytesOf(whole) + ','.length;
    if (bytes > maxBodyBytes) break;
    batch.items.push(whole);
  }
  return batch;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A server that knows no dry runs refuses the field, and does nothing. */
async function tryItems({ soon }: PartnerCalls, batch: IssueBatchRequest) {
  try {
    return (await soon.freeBets.issueBatch(batch)).results;
  } catch (error) {
    const isUnknown = error instanceof FreebetsError && error.details.some(({ field }) => field === 'dry_run');
    if (isUnknown) return null;
    throw error;
  }
}

/**
 * Whether a job that was started before had another list, as far as the first items tell. The server keeps no list, but under
 * the ids of the job what it has issued.
 */
export async function isOtherList({ calls, request, checked }: ToTry, job: JobBody): Promise<boolean> {
  const { status, finished_at } = job;
  const finishedAt = status === 'finished' && refusedIn(job) === 0 ? finished_at : null;
  const results = (await tryItems(calls, batchOf(request, checked.sample))) ?? [];
  return results.some((result) => {
    if ('error' in result) return result.error.error === 'id_reused' || finishedAt !== null;
    // Where all were issued, one that only would be now was not among them.
    return finishedAt !== null && result.issued_at > finishedAt;
  });
}

export function triedSentences({ job_id, items, parts, tried, refused }: Tried): string[] {
  const size = `${figure(items)} ${items === 1 ? 'item' : 'items'} in ${parts === 1 ? 'one part' : `${figure(parts)} parts`}`;
  return [
    `Nothing was sent. It would be job ${job_id}, of ${size}.`,
    ...(tried === null ? ['The server knows no dry runs, so only the list was checked.'] : []),
    ...(tried !== null
      ? [
          `Of the first ${figure(tried)}, ${refused.length === 0 ? 'none' : figure(refused.length)} would be refused now.`,
        ]
      : []),
    ...refused.map(({ line, player_id, error }) => `line ${line}, ${player_id}: ${error.error}. ${error.message}`),
  ];
}
