import type { ErrorName, FieldError, JobBody, JobStatus } from '@freebets/contract';
import { type Cents, formatInstant, formatMoney, type Instant, timeText } from '../../primitives/amounts.ts';
import { coefficientLimits } from '../campaigns/campaign.ts';
import { type DirectTerms, termsBytes } from '../terms.ts';

/** The terms of all items of a direct job; an item may override the amount and the quantity. */
export interface SharedTerms {
  betAmount: Cents;
  terms: DirectTerms;
  /** The partner's setting at creation. If the setting changes later, items keep the approved cost. */
  stakeReturned: boolean;
}

export interface Job {
  jobId: string;
  name: string;
  /** Null for a direct job, which has `shared` instead. */
  campaignId: string | null;
  shared: SharedTerms | null;
  startAt: Instant | null;
  contentHash: string;
  createdAt: Instant;
  parts: number;
  items: number;
  /** The bytes of the stored parts. */
  bytes: number;
  startedAt: Instant | null;
  /** When the job finished or failed. */
  finishedAt: Instant | null;
  stoppedAt: Instant | null;
  /** Null unless the job has failed and was not retried. */
  failure: JobFailure | null;
  /** How often workers took the job since its last progress. A worker that stops normally subtracts its own attempt. */
  attempts: number;
  /** Each processed item is issued or refused. The next item is `nextItem` of the first remaining part. */
  issued: number;
  refused: RefusedCounts;
  nextItem: number;
  /** Items processed per second, recently. */
  perSecond: number | null;
  /** The worker that runs the job. */
  leaseHolder: string | null;
}

export interface JobFailure {
  reason: string;
  /** The first remaining part; null if there is none. */
  part: number | null;
  item: number;
}

export type RefusedCounts = Readonly<Partial<Record<ErrorName, number>>>;

/** Snapshots in events of earlier versions lack the optional field. */
export type JobSnapshot = Omit<Job, 'contentHash' | 'attempts' | 'bytes' | 'failure'> & Partial<Pick<Job, 'failure'>>;

export type NewJob = Pick<Job, 'jobId' | 'name' | 'campaignId' | 'shared' | 'startAt' | 'contentHash' | 'createdAt'>;

export const newJob = ({ jobId, name, campaignId, shared, startAt, contentHash, createdAt }: NewJob): Job => ({
  jobId,
  name,
  campaignId,
  shared,
  startAt,
  contentHash,
  createdAt,
  parts: 0,
  items: 0,
  bytes: 0,
  startedAt: null,
  finishedAt: null,
  stoppedAt: null,
  failure: null,
  attempts: 0,
  issued: 0,
  refused: {},
  nextItem: 0,
  perSecond: null,
  leaseHolder: null,
});

/** A part in a command. Its list is already text, so that a waiting command doesn't hold thousands of objects. */
export interface JobPart {
  jobId: string;
  part: number;
  items: number;
  list: string;
  contentHash: string;
}

/** The number and bytes of a partner's unfinished jobs, as limits or as current totals. */
export interface JobQuota {
  jobs: number;
  bytes: number;
}

/** An item as stored in a part. */
export type StoredItem = readonly [
  playerId: string,
  currency: string,
  issueId: string | null,
  betAmount: Cents | null,
  quantity: number | null,
];

/** False for a malformed item, which `JobAdd` can't have stored: it could go to a wrong player or have wrong terms. */
export function isStoredItem(item: unknown): item is StoredItem {
  if (!Array.isArray(item) || item.length !== 5) return false;
  const [playerId, currency, issueId, betAmount, quantity] = item as unknown[];
  const isCount = (value: unknown) => value === null || (Number.isSafeInteger(value) && (value as number) > 0);
  const isId = issueId === null || typeof issueId === 'string';
  return (
    typeof playerId === 'string' && typeof currency === 'string' && isId && isCount(betAmount) && isCount(quantity)
  );
}

/** The refusals of one step, in the order of its items. */
export interface JobRefusals {
  jobId: string;
  /** How many items of the job were processed before the step. */
  carriedOut: number;
  list: StoredRefusal[];
}

export type StoredRefusal = readonly [
  part: number,
  item: number,
  playerId: string,
  issueId: string,
  error: ErrorName,
  details?: FieldError[] | null,
  /** Absent in refusals stored by earlier versions. */
  currency?: string,
  /** Present if the item overrides the shared terms. */
  betAmount?: Cents | null,
  quantity?: number | null,
];

export const processedCount = ({ issued, refused }: Pick<Job, 'issued' | 'refused'>): number =>
  Object.values(refused).reduce((sum, count) => sum + count, issued);

/** The later of the start request and `startAt`. */
const beginsAt = ({ startedAt, startAt }: JobSnapshot): Instant | null =>
  startedAt === null ? null : Math.max(startedAt, startAt ?? startedAt);

export function jobStatus(job: JobSnapshot, now: Instant): JobStatus {
  if (job.stoppedAt !== null) return 'stopped';
  if (job.failure) return 'failed';
  if (job.finishedAt !== null) return 'finished';
  const begins = beginsAt(job);
  if (begins === null) return 'open';
  return now < begins ? 'scheduled' : 'running';
}

export function jobBody(job: JobSnapshot, now: Instant): JobBody {
  const status = jobStatus(job, now);
  const remaining = job.items - processedCount(job);
  const perSecond = status === 'running' ? job.perSecond : null;
  return {
    job_id: job.jobId,
    name: job.name,
    ...termsBody(job),
    status,
    parts: job.parts,
    items: job.items,
    issued: job.issued,
    refused: job.refused,
    remaining,
    per_second: perSecond,
    eta: perSecond ? formatInstant(now + Math.ceil((remaining * 1000) / perSecond)) : null,
    created_at: formatInstant(job.createdAt),
    start_at: timeText(job.startAt),
    started_at: timeText(job.startedAt),
    finished_at: job.failure ? null : timeText(job.finishedAt),
    stopped_at: timeText(job.stoppedAt),
    failure: job.failure ? { ...job.failure, failed_at: timeText(job.finishedAt) } : null,
  } as JobBody;
}

function termsBody({ campaignId, shared }: JobSnapshot): object {
  if (shared === null) return { campaign_id: campaignId };
  const { betAmount, terms } = shared;
  return {
    bet_amount: formatMoney(betAmount),
    quantity: terms.quantity,
    games: terms.games,
    valid_from: timeText(terms.validFrom),
    valid_until: formatInstant(terms.validUntil),
    duration_min: terms.durationMin,
    config: coefficientLimits(terms),
  };
}

/** The response to the original create request, regardless of later changes. */
export const createdBody = (job: Job): JobBody => jobBody(newJob(job), job.createdAt);

/** The most bytes that a job takes in a response, without its short fields. */
export const jobBytes = ({ shared }: JobSnapshot): number => termsBytes(shared?.terms ?? noTerms);

const noTerms = { games: [] };
