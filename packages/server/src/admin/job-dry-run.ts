import { isDeepStrictEqual } from 'node:util';
import { FreebetsError, type IssueBatchRequest, type IssueItem } from '@freebets/client';
import type { ItemError, JobBody, JobItem, RequestOf } from '@freebets/contract';
import { maxBodyBytes } from '../edge/transfer.ts';
import { parseInstant } from '../primitives/amounts.ts';
import { Failure } from '../primitives/failure.ts';
import { derivedIssueId } from '../promo/jobs/items.ts';
import type { CheckedList } from './job-list-check.ts';
import { formatCount, type JobShown, jobSummary, refusedCount, withWaiting } from './job-progress.ts';
import type { JobOptions } from './job-request.ts';
import type { PartnerCalls } from './server-calls.ts';

// Shows what a list would do, without sending it. If its job was started before, shows that job. Otherwise sends the
// first items as a dry run, as many as one request can hold.

export type DryRunResult = DryRunItems | ExistingJob;

interface DryRunItems {
  stage: 'dry_run';
  job_id: string;
  items: number;
  parts: number;
  /** The number of items in the dry run; null if the server has no dry runs. */
  tried: number | null;
  refused: { line: number; player_id: string; error: ItemError }[];
  /** Set if the campaign is paused: the job would wait, and it is unknown which items would be refused after that. */
  waiting?: 'campaign_paused';
}

interface ExistingJob extends DryRunItems {
  job: JobShown;
}

interface DryRunInput {
  options: JobOptions;
  calls: PartnerCalls;
  request: RequestOf<'JobCreate'>;
  checked: CheckedList;
}

export async function dryRun(input: DryRunInput): Promise<DryRunResult> {
  const { calls, request, checked } = input;
  const { items, parts, sample, lineOf } = checked;
  const base = { stage: 'dry_run' as const, job_id: request.job_id, items, parts };
  const job = await findJob(calls, request.job_id);
  if (job !== undefined) await requireResumable(input, job);
  if (job !== undefined && job.status !== 'open')
    return { ...base, tried: 0, refused: [], job: await withWaiting(calls.interactive)(job) };
  const asked = batchOf(request, sample);
  const results = await tryItems(calls, asked);
  const errors = sample.flatMap(({ player_id }, i) => {
    const result = results?.[i];
    return result !== undefined && 'error' in result ? [{ line: lineOf(1, i), player_id, error: result.error }] : [];
  });
  const refused = errors.filter(({ error }) => error.error !== 'campaign_paused');
  const tried = results === null ? null : asked.items.length;
  return { ...base, tried, refused, ...(refused.length < errors.length && { waiting: 'campaign_paused' }) };
}

/** The current job with this ID, if there is one. */
const findJob = ({ interactive }: PartnerCalls, jobId: string): Promise<JobBody | undefined> =>
  interactive.jobs.get({ job_id: jobId }).catch((error: FreebetsError) => {
    if (error.name === 'job_not_found') return undefined;
    throw error;
  });

const again = 'To issue this list again, use another --job-id.';

/** Fails where the real command would: if the job was stopped, or seems to have another list, name or start time. */
async function requireResumable(input: DryRunInput, job: JobBody): Promise<void> {
  const { request } = input;
  const { job_id, status } = job;
  const isCompared = status !== 'open' && status !== 'stopped';
  const isOther =
    !isDeepStrictEqual(namesOf(job), namesOf(request)) || (isCompared && (await hasOtherList(input, job)));
  if (isOther)
    throw new Failure(
      `Nothing would be sent: job ${job_id} exists with another list, name or start time. Use the original ones, or another --job-id.`,
    );
  if (status === 'stopped') throw new Failure(`Nothing would be sent. ${jobSummary(job)} ${again}`);
}

const namesOf = (job: JobBody | RequestOf<'JobCreate'>) => ({
  name: job.name,
  campaign: 'campaign_id' in job ? job.campaign_id : null,
  startAt: job.start_at ? parseInstant(job.start_at) : null,
});

/** The first items with the IDs that the job gives them, so that the server finds those already issued. */
function batchOf(request: RequestOf<'JobCreate'>, sample: JobItem[]): IssueBatchRequest {
  const { client_id, job_id, start_at: _, ...shared } = request;
  const terms = 'campaign_id' in shared ? { campaign_id: shared.campaign_id } : shared;
  const batch: IssueBatchRequest = { dry_run: true, items: [] };
  let bytes = bytesOf({ client_id, ...batch });
  for (const [i, item] of sample.entries()) {
    // The list check ensures that an item for a campaign overrides nothing.
    const whole = { issue_id: derivedIssueId(job_id, 1, i), ...terms, ...item } as IssueItem;
    bytes += bytesOf(whole) + ','.length;
    if (bytes > maxBodyBytes) break;
    batch.items.push(whole);
  }
  return batch;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns null for a server without dry runs: it refuses the field and changes nothing. */
async function tryItems({ interactive }: PartnerCalls, batch: IssueBatchRequest) {
  try {
    return (await interactive.freeBets.issueBatch(batch)).results;
  } catch (error) {
    const isUnknown = error instanceof FreebetsError && error.details.some(({ field }) => field === 'dry_run');
    if (isUnknown) return null;
    throw error;
  }
}

/** A job ID or name that is derived from the list identifies the list. */
export const isNamedByList = ({ jobId, name }: JobOptions): boolean => jobId === undefined || name === undefined;

/**
 * Whether an existing job had another list, judged by its length and its first items. The server does not keep the
 * list, only what it has issued under the IDs of the job.
 */
export async function hasOtherList({ calls, request, checked, options }: DryRunInput, job: JobBody): Promise<boolean> {
  if (job.items !== checked.items) return true;
  if (isNamedByList(options)) return false;
  const { status, finished_at } = job;
  const finishedAt = status === 'finished' && refusedCount(job) === 0 ? finished_at : null;
  const results = (await tryItems(calls, batchOf(request, checked.sample))) ?? [];
  return results.some((result) => {
    // If the job itself refused items with id_reused, the dry run repeats that error, so it proves nothing.
    const isForeign = 'error' in result && result.error.error === 'id_reused' && !job.refused.id_reused;
    if ('error' in result) return isForeign || finishedAt !== null;
    // The job has issued all its items, so an item that would be issued only now was not one of them.
    return finishedAt !== null && result.issued_at > finishedAt;
  });
}

export function dryRunSummary(result: DryRunResult): string[] {
  const { job_id, items, parts, tried, refused, waiting } = result;
  if ('job' in result)
    return [`Nothing was sent or would be sent: job ${job_id} was started before. ${again}`, jobSummary(result.job)];
  const partsText = parts === 1 ? 'one part' : `${formatCount(parts)} parts`;
  const size = `${formatCount(items)} ${items === 1 ? 'item' : 'items'} in ${partsText}`;
  const refusedText = refused.length === 0 ? 'none' : formatCount(refused.length);
  return [
    `Nothing was sent. The list would become job ${job_id} with ${size}.`,
    ...(tried === null ? ['The server does not support dry runs, so only the list was checked.'] : []),
    ...(waiting === undefined
      ? []
      : ['The campaign is paused: the job would wait until the campaign resumes, and might then refuse other items.']),
    ...(tried !== null && (waiting === undefined || refused.length > 0)
      ? [`Of the first ${formatCount(tried)} items, ${refusedText} would be refused now.`]
      : []),
    ...refused.map(({ line, player_id, error }) => `line ${line}, ${player_id}: ${error.error}. ${error.message}`),
  ];
}
