import { type Access, inAccess } from '../../../engine/access.ts';
import { partnerNow } from '../../../engine/clock.ts';
import { type Page, type PageWanted, pageStatement } from '../../../engine/page.ts';
import {
  assignments,
  bytesText,
  type Columns,
  inColumns,
  insertInto,
  named,
  type Statement,
  valuesOf,
} from '../../../engine/statement.ts';
import { formatInstant, type Instant, timeText } from '../../../primitives/amounts.ts';
import type { RowKeys } from '../../batch/needs.ts';
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

const selected = `j.job_id, j.name, j.campaign_id, j.shared, j.start_at, encode(j.content_hash, 'hex') AS content_hash,
  j.created_at, j.parts, j.items, j.bytes, j.started_at, j.finished_at, j.stopped_at, j.failure, j.attempts, j.issued, j.refused, j.next_item,
  CASE WHEN j.leased_until > statement_timestamp() THEN j.per_second END AS per_second, j.lease_holder`;

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

const selectJobs = inAccess((access, locking) =>
  inColumns(
    `${access}_jobs`,
    ({ isAmong }) => `SELECT ${selected} FROM jobs j WHERE j.client_id = $1 AND ${isAmong('j.job_id', 2, 'uuid')}
   ORDER BY j.job_id ${locking}`,
    (rows: JobRow[]) => rows.map(jobOfRow),
  ),
);

/** Ordered by id. */
export const findJobs = (access: Access, clientId: number, { jobIds }: RowKeys): Statement<Job[]> =>
  selectJobs[access]([clientId], [jobIds]);

interface PartKeyRow {
  job_id: string;
  part: number;
  content_hash: string;
}

const partSelected = `p.job_id, p.part, encode(p.content_hash, 'hex') AS content_hash`;

// OFFSET 0 keeps the planner from turning the look-ups by key into a scan of the table when its statistics are old.
const selectParts = inColumns(
  'select_job_parts',
  ({ rows }) => `SELECT p.* FROM ${rows(2, ['uuid', 'int'])} AS k(job_id, part)
   CROSS JOIN LATERAL (
     SELECT ${partSelected} FROM job_parts p WHERE p.client_id = $1 AND p.job_id = k.job_id AND p.part = k.part OFFSET 0) p`,
  (rows: PartKeyRow[]) => rows,
);

const selectAllParts = named<PartKeyRow>(
  'select_all_job_parts',
  `SELECT ${partSelected} FROM job_parts p WHERE p.client_id = $1 AND p.job_id = ANY ($2::uuid[])`,
);

/** The named parts that exist, and all parts of the jobs in `partsOfJobIds`. */
export const findJobParts = (clientId: number, { jobParts, partsOfJobIds }: RowKeys): Statement<PartKeyRow[]>[] => [
  ...(jobParts.length > 0
    ? [selectParts([clientId], [jobParts.map((key) => key.jobId), jobParts.map((key) => key.part)])]
    : []),
  ...(partsOfJobIds.length > 0 ? [selectAllParts([clientId, partsOfJobIds])] : []),
];

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

const insert = insertInto<Job>('jobs', { client_id: 'int' }, { ...given, ...changing });

/** Inserts in id order, the order of all locks. */
export const insertJobs = (clientId: number, jobs: readonly Job[]): Statement =>
  insert(
    [clientId],
    jobs.toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1)),
  );

const update = inColumns(
  'update_jobs',
  (form) => `UPDATE jobs j SET ${assignments(form, changing, 3, 'j.job_id', 2)}, leased_until = ${leaseEnd}
   WHERE j.client_id = $1 AND ${form.isAmong('j.job_id', 2, 'uuid')}`,
  () => {},
);

const changesOf = valuesOf<Job>({ job_id: jobId, ...changing });

/** Every change by the holder renews the lease. */
export const updateJobs = (clientId: number, jobs: readonly Job[]): Statement => update([clientId], changesOf(jobs));

const insertParts = insertInto<JobPart>(
  'job_parts',
  { client_id: 'int' },
  {
    job_id: jobId,
    part: { type: 'int', of: (part) => part.part },
    items: { type: 'int', of: (part) => part.items },
    list: { type: 'json', of: (part) => part.list },
    content_hash: { type: 'bytea', of: (part) => bytesText(part.contentHash) },
  },
);

export const insertJobParts = (clientId: number, parts: readonly JobPart[]): Statement =>
  insertParts([clientId], parts);

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
