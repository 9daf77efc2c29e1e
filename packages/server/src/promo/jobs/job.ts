import type { ErrorName, FieldError, JobBody, JobStatus } from '@freebets/contract';
import { type Cents, formatInstant, formatMoney, type Instant, timeText } from '../../primitives/amounts.ts';
import { coefficientLimits } from '../campaigns/campaign.ts';
import { type DirectTerms, termsBytes } from '../terms.ts';

/** What the items of a direct job share, where they do not say otherwise. */
export interface SharedTerms {
  betAmount: Cents;
  terms: DirectTerms;
  /** The partner's setting when the job was created. An item issued after a change of it still costs what was approved. */
  stakeReturned: boolean;
}

export interface Job {
  jobId: string;
  name: string;
  /** Either this or `shared`. */
  campaignId: string | null;
  shared: SharedTerms | null;
  startAt: Instant | null;
  contentHash: string;
  createdAt: Instant;
  parts: number;
  items: number;
  /** The bytes of its stored parts. */
  bytes: number;
  startedAt: Instant | null;
  /** When it finished, or failed. */
  finishedAt: Instant | null;
  stoppedAt: Instant | null;
  /** Why it failed, while it is not retried. */
  failure: JobFailure | null;
  /** How often a worker has taken it since its last progress; a worker that ends in order takes back its own. */
  attempts: number;
  /** Items carried out are issued or refused; those left begin with `nextItem` of the first part that is left. */
  issued: number;
  refused: RefusedCounts;
  nextItem: number;
  /** Items carried out in a second, lately. */
  perSecond: number | null;
  /** The worker that carries it out. */
  leaseHolder: string | null;
}

export interface JobFailure {
  reason: string;
  /** The first part that is left; null if none is. */
  part: number | null;
  item: number;
}

export type RefusedCounts = Readonly<Partial<Record<ErrorName, number>>>;

/** Snapshots in events of earlier versions have neither of the optional fields. */
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

/** A part as a command brings it: its list is text already, so that nobody holds thousands of objects while it waits. */
export interface JobPart {
  jobId: string;
  part: number;
  items: number;
  list: string;
  contentHash: string;
}

/** The number and the bytes of a partner's unfinished jobs: the limits, or the sums. */
export interface JobQuota {
  jobs: number;
  bytes: number;
}

/** An item of a part as it is kept. */
export type KeptItem = readonly [
  playerId: string,
  currency: string,
  issueId: string | null,
  betAmount: Cents | null,
  quantity: number | null,
];

/** False for an item that `JobAdd` could not have stored: it would be issued with wrong terms, or to a wrong player. */
export function isKeptItem(item: unknown): item is KeptItem {
  if (!Array.isArray(item) || item.length !== 5) return false;
  const [playerId, currency, issueId, betAmount, quantity] = item as unknown[];
  const isCount = (value: unknown) => value === null || (Number.isSafeInteger(value) && (value as number) > 0);
  const isId = issueId === null || typeof issueId === 'string';
  return (
    typeof playerId === 'string' && typeof currency === 'string' && isId && isCount(betAmount) && isCount(quantity)
  );
}

/** What a step refused, in the order of its items. */
export interface JobRefusals {
  jobId: string;
  /** How many items of the job were carried out before the step. */
  carriedOut: number;
  list: KeptRefusal[];
}

export type KeptRefusal = readonly [
  part: number,
  item: number,
  playerId: string,
  issueId: string,
  error: ErrorName,
  details?: FieldError[] | null,
  /** Not known of what was refused before it was kept. */
  currency?: string,
  /** Where the item had its own. */
  betAmount?: Cents | null,
  quantity?: number | null,
];

export const carriedOutOf = ({ issued, refused }: Pick<Job, 'issued' | 'refused'>): number =>
  Object.values(refused).reduce((sum, count) => sum + count, issued);

/** The later of its start and the time it was given. */
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
  const remaining = job.items - carriedOutOf(job);
  const perSecond = status === 'running' ? job.perSecond : null;
  return {
    job_id: job.jobId,
    name: job.name,
    ...whatIsIssued(job),
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

function whatIsIssued({ campaignId, shared }: JobSnapshot): object {
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

/** The job as it was answered when it was created, whatever has become of it since. */
export const createdBody = (job: Job): JobBody => jobBody(newJob(job), job.createdAt);

/** The most bytes that a job takes in a response; its short fields have a count for each error. */
export const jobBytes = ({ shared }: JobSnapshot): number => termsBytes(shared?.terms ?? noTerms);

const noTerms = { games: [] };
