import { stat } from 'node:fs/promises';
import type { Partner } from '@freebets/client';
import type { CampaignStatus, JobBody, JobRefusal } from '@freebets/contract';
import { csvText } from '@freebets/contract/csv';
import { Failure } from '../primitives/failure.ts';
import type { Terminal } from './command.ts';
import { requireWritable, writeWhole } from './files.ts';

// Reports the progress of a long command: a redrawn line on a terminal, a line every few seconds in a file, and JSON
// lines for programs.

export interface Progress {
  done: number;
  total: number;
  refused?: number;
  perSecond: number | null;
}

export interface Reporter {
  /** Reports that a step is done. */
  print(stage: string, values: object, sentence: string): void;
  /** Reports how far a step is. */
  progress(stage: string, verb: string, progress: Progress): void;
  /** Ends the redrawn line. */
  end(): void;
}

const plainEveryMs = 5000;
const drawnEveryMs = 100;
const barWidth = 24;

export function reporterFor({ stdout }: Terminal, isJson: boolean): Reporter {
  const isWatched = stdout.isTTY === true && !isJson;
  const everyMs = isWatched ? drawnEveryMs : plainEveryMs;
  let isDrawn = false;
  let nextAt = 0;
  const end = () => {
    if (isDrawn) stdout.write('\n');
    isDrawn = false;
    // A short step prints no progress before its end.
    nextAt = performance.now() + everyMs;
  };
  return {
    print(stage, values, sentence) {
      end();
      stdout.write(`${isJson ? JSON.stringify({ stage, ...values }) : sentence}\n`);
    },
    progress(stage, verb, progress) {
      if (performance.now() < nextAt && progress.done < progress.total) return;
      nextAt = performance.now() + everyMs;
      if (isJson) stdout.write(`${JSON.stringify({ stage, ...valuesOf(progress) })}\n`);
      else if (isWatched) stdout.write(`\r\x1b[2K${bar(progress)} ${lineOf(verb, progress)}`);
      else stdout.write(`${lineOf(verb, progress)}.\n`);
      isDrawn = isWatched;
    },
    end,
  };
}

const secondsLeft = ({ done, total, perSecond }: Progress): number | null =>
  perSecond === null || perSecond === 0 || done === total ? null : Math.ceil((total - done) / perSecond);

const valuesOf = (progress: Progress) => {
  const { done, total, refused, perSecond } = progress;
  const left = secondsLeft(progress);
  return { done, total, ...(refused !== undefined && { refused }), per_second: perSecond, seconds_left: left };
};

function bar({ done, total }: Progress): string {
  const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`;
}

/** Formats 1234567 as 1,234,567. */
export const formatCount = (number: number): string => number.toLocaleString('en-US');

function lineOf(verb: string, progress: Progress): string {
  const { done, total, refused = 0, perSecond } = progress;
  const left = secondsLeft(progress);
  return [
    `${verb} ${formatCount(done)} of ${formatCount(total)}`,
    ...(refused > 0 ? [`${formatCount(refused)} refused`] : []),
    ...(perSecond === null || done === total ? [] : [`${formatCount(perSecond)} a second`]),
    ...(left === null ? [] : [`${duration(left)} left`]),
  ].join(', ');
}

function duration(seconds: number): string {
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

// The state of a job as a sentence.

export const refusedCount = ({ refused }: JobBody): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0);

export function jobSummary(job: JobShown): string {
  const { job_id, status, items, remaining, start_at, waiting } = job;
  switch (status) {
    case 'open':
      return `Job ${job_id} is open: ${formatCount(items)} items were added, but it was not started.`;
    case 'scheduled':
      return `Job ${job_id} with ${formatCount(items)} items begins at ${start_at}.`;
    case 'running':
      return [
        `Job ${job_id} is running: ${resultOf(job)}, ${formatCount(remaining)} left.`,
        ...(waiting === undefined ? [] : ['The job waits, because its campaign is paused.']),
      ].join(' ');
    case 'finished':
      return `Job ${job_id} is finished: ${resultOf(job)}.`;
    case 'failed':
      return `Job ${job_id} failed${placeOf(job)}: ${resultOf(job)}, ${formatCount(remaining)} left. ${job.failure?.reason ?? ''} See "freebets job retry" and "freebets job stop".`;
    case 'stopped':
      return `Job ${job_id} was stopped: ${resultOf(job)}, ${formatCount(remaining)} never processed.`;
  }
}

/** Counts items from 1, for people. */
const placeOf = ({ failure }: JobBody): string =>
  failure?.part == null ? '' : ` at item ${formatCount(failure.item + 1)} of part ${formatCount(failure.part)}`;

function resultOf(job: JobBody): string {
  const refused = Object.entries(job.refused).map(([error, count]) => `${error} ${formatCount(count)}`);
  const issued = `${formatCount(job.issued)} issued`;
  return refused.length === 0 ? issued : `${issued}, ${formatCount(refusedCount(job))} refused (${refused.join(', ')})`;
}

// Why a job is not making progress.

export type JobShown = JobBody & { waiting?: 'campaign_paused' };

/** Returns a function that adds to a job what it waits for. Reads each campaign once. */
export function withWaiting(partner: Partner): (job: JobBody) => Promise<JobShown> {
  const statuses = new Map<string, CampaignStatus>();
  return async (job) => {
    if (job.status !== 'running' || !('campaign_id' in job)) return job;
    const { campaign_id } = job;
    const status = statuses.get(campaign_id) ?? (await partner.campaigns.get({ campaign_id })).status;
    statuses.set(campaign_id, status);
    return status === 'paused' ? { ...job, waiting: 'campaign_paused' } : job;
  };
}

// The refused items of a job, one per line: as CSV, or as NDJSON for programs.

/** Finds the line of an item in the list. Available only to a command that has read the list. */
type LineOf = (part: number, item: number) => number;

export async function* refusalLines(
  refusals: AsyncIterable<JobRefusal>,
  isNdjson: boolean,
  lineOf?: LineOf,
): AsyncGenerator<string> {
  const about = ['part', 'item', 'player_id', 'issue_id', 'code', 'error', 'message', 'details'];
  const columns = [...about, 'currency', 'bet_amount', 'quantity'];
  if (!isNdjson) yield csvLine(lineOf === undefined ? columns : ['line', ...columns]);
  for await (const refusal of refusals) {
    const line = lineOf?.(refusal.part, refusal.item);
    if (isNdjson) yield `${JSON.stringify({ ...(line !== undefined && { line }), ...refusal })}\n`;
    else yield csvLine([...(line === undefined ? [] : [String(line)]), ...cellsOf(refusal)]);
  }
}

function cellsOf({ part, item, player_id, issue_id, error, ...gets }: JobRefusal): string[] {
  const { currency = '', bet_amount = '', quantity = '' } = gets;
  const details = (error.details ?? []).map(({ field, reason }) => `${field} ${reason}`).join('; ');
  const why = [String(error.code), error.error, error.message, details];
  return [String(part), String(item), player_id, issue_id, ...why, currency, bet_amount, String(quantity)];
}

/** Keeps each item as it was sent, so that the file can be used as a list again. */
const csvLine = (cells: string[]): string => `${cells.map(csvText).join(',')}\n`;

/** Writes NDJSON or CSV, by the file extension, and returns the number of refused items. */
export async function writeRefusals(
  path: string,
  refusals: AsyncIterable<JobRefusal>,
  signal: AbortSignal,
  lineOf?: LineOf,
): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const refusal of refusals) {
      count += 1;
      yield refusal;
    }
  }
  await writeWhole(path, refusalLines(counted(), /\.(ndjson|jsonl)$/i.test(path), lineOf), signal);
  return count;
}

/** Requires that the file is writable and is not the list itself. */
export async function requireSeparateFile(path: string, listPath: string): Promise<void> {
  const [found, list] = await Promise.all([statusOf(path), statusOf(listPath)]);
  if (found !== undefined && found.dev === list?.dev && found.ino === list.ino) {
    throw new Failure(`${path} is the list itself: use another file for the refused items.`);
  }
  await requireWritable(path);
}

const statusOf = (path: string) => stat(path, { bigint: true }).catch(() => undefined);
