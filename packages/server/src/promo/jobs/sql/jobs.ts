import { inAccess } from '../../../engine/access.ts';
import { partnerNow } from '../../../engine/clock.ts';
import { type Page, type PageWanted, pageStatement } from '../../../engine/page.ts';
import { bytesText, type Columns, insertInto, joinRows, lookUp, rowOperation, updateOf } from '../../../engine/rows.ts';
import { named, type Statement } from '../../../engine/statement.ts';
import { formatInstant, type Instant, timeText } from '../../../primitives/amounts.ts';
import type { Job, JobFailure, JobPart, RefusedCounts, SharedTerms } from '../job.ts';

/** How long a lease lasts after each step. Leases use world time, not sandbox clocks. */
export const jobLeaseMs = 8000;
export const leaseEnd = `statement_timestamp() + interval '${jobLeaseMs} ms'`;

export interface JobRow {
  job_id: string;
  name: string;
  campaign_id: string | null;
  shared: SharedTerms | null;
  start_at: Instant | null;
  content_hash: string;
  created_at: Instant;
  parts: number;
  items: number;
  bytes: number;
  started_at: Instant | null;
  finished_at: Instant | null;
  stopped_at: Instant | null;
  failure: JobFailure | null;
  attempts: number;
  issued: number;
  refused: RefusedCounts;
  next_item: number;
  per_second: number | null;
  lease_holder: string | null;
}

const selectedOf = (j: string): string =>
  `${j}.job_id, ${j}.name, ${j}.campaign_id, ${j}.shared, ${j}.start_at, encode(${j}.content_hash, 'hex') AS content_hash,
  ${j}.created_at, ${j}.parts, ${j}.items, ${j}.bytes, ${j}.started_at, ${j}.finished_at, ${j}.stopped_at, ${j}.failure, ${j}.attempts, ${j}.issued, ${j}.refused, ${j}.next_item,
  CASE WHEN ${j}.leased_until > statement_timestamp() THEN ${j}.per_second END AS per_second, ${j}.lease_holder`;
const selected = selectedOf('j');

export const jobOfRow = (row: JobRow): Job => ({
  jobId: row.job_id,
  name: row.name,
  campaignId: row.campaign_id,
  shared: row.shared,
  startAt: row.start_at,
  contentHash: row.content_hash,
  createdAt: row.created_at,
  parts: row.parts,
  items: row.items,
  bytes: row.bytes,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  stoppedAt: row.stopped_at,
  failure: row.failure,
  attempts: row.attempts,
  issued: row.issued,
  refused: row.refused,
  nextItem: row.next_item,
  perSecond: row.per_second,
  leaseHolder: row.lease_holder,
});

const idKey: Columns<string> = { job_id: { type: 'uuid', of: (id) => id } };
export type FoundJob = JobRow & { client_id: number };

/** Finds jobs by id. A batch also locks them, because leases are taken and renewed outside of batches. */
export const findJobs = inAccess((access, locking) =>
  lookUp<string, FoundJob>(`${access}_jobs`, 'jobs', idKey, selectedOf('t'), locking),
);

export interface PartKey {
  jobId: string;
  part: number;
}

export interface FoundPart {
  client_id: number;
  job_id: string;
  part: number;
  content_hash: string;
}

const partSelected = `t.job_id, t.part, encode(t.content_hash, 'hex') AS content_hash`;
const partKey = {
  job_id: { type: 'uuid', of: (key) => key.jobId },
  part: { type: 'int', of: (key) => key.part },
} satisfies Columns<PartKey>;

/** Finds parts of jobs by number. */
export const findJobParts = lookUp<PartKey, FoundPart>('job_parts_by_id', 'job_parts', partKey, partSelected);

/** All parts of these jobs. */
export const findPartsOfJobs = rowOperation<string, FoundPart, FoundPart[]>(
  'all_job_parts',
  idKey,
  (form) => `SELECT t.client_id, ${partSelected} FROM ${form.rows} ${joinRows(form, 'job_parts', ['job_id'], 't')}`,
  (rows) => rows,
);

const jobId = { type: 'uuid', of: (job: { jobId: string }) => job.jobId };

const given: Columns<Job> = {
  job_id: jobId,
  name: { type: 'text', of: (job) => job.name },
  campaign_id: { type: 'text', of: (job) => job.campaignId },
  shared: { type: 'json', of: (job) => job.shared && JSON.stringify(job.shared) },
  start_at: { type: 'timestamptz', of: (job) => timeText(job.startAt) },
  content_hash: { type: 'bytea', of: (job) => bytesText(job.contentHash) },
  created_at: { type: 'timestamptz', of: (job) => formatInstant(job.createdAt) },
};

const changing: Columns<Job> = {
  parts: { type: 'int', of: (job) => job.parts },
  items: { type: 'int', of: (job) => job.items },
  bytes: { type: 'bigint', of: (job) => job.bytes },
  started_at: { type: 'timestamptz', of: (job) => timeText(job.startedAt) },
  finished_at: { type: 'timestamptz', of: (job) => timeText(job.finishedAt) },
  stopped_at: { type: 'timestamptz', of: (job) => timeText(job.stoppedAt) },
  failure: { type: 'json', of: (job) => job.failure && JSON.stringify(job.failure) },
  attempts: { type: 'int', of: (job) => job.attempts },
  issued: { type: 'int', of: (job) => job.issued },
  refused: { type: 'json', of: (job) => JSON.stringify(job.refused) },
  next_item: { type: 'int', of: (job) => job.nextItem },
  per_second: { type: 'int', of: (job) => job.perSecond },
  lease_holder: { type: 'uuid', of: (job) => job.leaseHolder },
};

export const insertJobs = insertInto<Job>('jobs', { ...given, ...changing });

/** Every change by the holder renews the lease. */
export const updateJobs = updateOf<Job>('jobs', { job_id: jobId }, changing, { computed: { leased_until: leaseEnd } });

export const insertJobParts = insertInto<JobPart>('job_parts', {
  job_id: jobId,
  part: { type: 'int', of: (part) => part.part },
  items: { type: 'int', of: (part) => part.items },
  list: { type: 'json', of: (part) => part.list },
  content_hash: { type: 'bytea', of: (part) => bytesText(part.contentHash) },
});

const removePart = named('remove_job_part', 'DELETE FROM job_parts WHERE client_id = $1 AND job_id = $2 AND part = $3');

export const removeJobPart = (clientId: number, { jobId, part }: { jobId: string; part: number }): Statement =>
  removePart([clientId, jobId, part]);

const selectOne = named(
  'get_job',
  `SELECT ${selected}, ${partnerNow('$1')} AS now FROM jobs j WHERE j.client_id = $1 AND j.job_id = $2`,
  ([row]: (JobRow & { now: Instant })[]) => row && { job: jobOfRow(row), now: row.now },
);

export const getJob = (clientId: number, jobId: string): Statement<{ job: Job; now: Instant } | undefined> =>
  selectOne([clientId, jobId]);

/** The SQL function is unchanged, because servers of earlier versions use it too. */
export const jobStatusOf = (job: string, now: string): string =>
  `CASE WHEN ${isFailed(job)} THEN 'failed' ELSE job_status(${job}.begins_at, ${job}.finished_at, ${job}.stopped_at, ${now}) END`;

/** The same condition as the index of failed jobs. */
export const isFailed = (job: string): string => `${job}.failure IS NOT NULL AND ${job}.stopped_at IS NULL`;

// One statement per filter, so that each scans its own index.
const list = (name: string, filter: string) =>
  pageStatement<JobRow>(name, {
    at: 'j.created_at',
    id: 'j.job_id',
    lowestId: '00000000-0000-0000-0000-000000000000',
    status: jobStatusOf('j', 'clock.now'),
    from: 'jobs j',
    where: `j.client_id = $7 AND ${filter}`,
    row: `SELECT ${selected} FROM jobs j WHERE j.client_id = $7 AND j.job_id = w.id`,
    size: 'coalesce(octet_length(r.shared::text), 0)',
  });

const listAll = list('list_jobs', 'j.parts >= 0');
const listOfCampaign = list('list_jobs_of_campaign', 'j.parts >= 0 AND j.campaign_id = $8');

export const listJobs = (clientId: number, campaignId: string | null, wanted: PageWanted): Statement<Page<JobRow>> =>
  campaignId === null ? listAll(wanted, [clientId]) : listOfCampaign(wanted, [clientId, campaignId]);
