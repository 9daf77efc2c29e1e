import type { Connection } from '../db/connection.ts';
import { named, type Statement } from '../db/statement.ts';
import { formatInstant, type Instant } from '../domain/amounts.ts';
import {
  carriedOutOf,
  type Job,
  type JobPart,
  type JobRefusals,
  type KeptItem,
  type KeptRefusal,
  type RefusedCounts,
  type SharedTerms,
} from '../domain/job.ts';
import type { RowKeys } from '../domain/row-keys.ts';
import { assignments, bytesText, type Columns, inColumns, insertInto, valuesOf } from './columns.ts';
import { type Page, type PageWanted, pageStatement } from './page.ts';

/** How long a worker has a job after each step of it. In real time, as all that has to do with leases. */
export const jobLeaseMs = 8000;
const leaseEnd = `clock_timestamp() + interval '${jobLeaseMs} ms'`;

interface JobRow {
  job_id: string;
  name: string;
  campaign_id: string | null;
  shared: SharedTerms | null;
  start_at: Instant | null;
  content_hash: string;
  created_at: Instant;
  parts: number;
  items: number;
  started_at: Instant | null;
  finished_at: Instant | null;
  stopped_at: Instant | null;
  issued: number;
  refused: RefusedCounts;
  next_item: number;
  per_second: number | null;
  lease_holder: string | null;
}

const selected = `j.job_id, j.name, j.campaign_id, j.shared, j.start_at, encode(j.content_hash, 'hex') AS content_hash,
  j.created_at, j.parts, j.items, j.started_at, j.finished_at, j.stopped_at, j.issued, j.refused, j.next_item, j.per_second,
  j.lease_holder`;

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
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  stoppedAt: row.stopped_at,
  issued: row.issued,
  refused: row.refused,
  nextItem: row.next_item,
  perSecond: row.per_second,
  leaseHolder: row.lease_holder,
});

const lock = inColumns(
  'lock_jobs',
  ({ isAmong }) => `SELECT ${selected} FROM jobs j WHERE j.client_id = $1 AND ${isAmong('j.job_id', 2, 'uuid')}
   ORDER BY j.job_id FOR UPDATE`,
  (rows: JobRow[]) => rows.map(jobOfRow),
);

/** In the order of their ids. */
export const lockJobs = (clientId: number, { jobIds }: RowKeys): Statement<Job[]> => lock([clientId], [jobIds]);

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

/** Those that are there of the parts named, and all parts of the jobs that are asked for them. */
export const findJobParts = (clientId: number, { jobParts, partsOfJobIds }: RowKeys): Statement<PartKeyRow[]>[] => [
  ...(jobParts.length > 0
    ? [selectParts([clientId], [jobParts.map((key) => key.jobId), jobParts.map((key) => key.part)])]
    : []),
  ...(partsOfJobIds.length > 0 ? [selectAllParts([clientId, partsOfJobIds])] : []),
];

const jobId = { type: 'uuid', of: (job: { jobId: string }) => job.jobId };
const instant = (at: Instant | null) => at && formatInstant(at);

const given: Columns<Job> = {
  job_id: jobId,
  name: { type: 'text', of: (job) => job.name },
  campaign_id: { type: 'text', of: (job) => job.campaignId },
  shared: { type: 'json', of: (job) => job.shared && JSON.stringify(job.shared) },
  start_at: { type: 'timestamptz', of: (job) => instant(job.startAt) },
  content_hash: { type: 'bytea', of: (job) => bytesText(job.contentHash) },
  created_at: { type: 'timestamptz', of: (job) => formatInstant(job.createdAt) },
};

const changing: Columns<Job> = {
  parts: { type: 'int', of: (job) => job.parts },
  items: { type: 'int', of: (job) => job.items },
  started_at: { type: 'timestamptz', of: (job) => instant(job.startedAt) },
  finished_at: { type: 'timestamptz', of: (job) => instant(job.finishedAt) },
  stopped_at: { type: 'timestamptz', of: (job) => instant(job.stoppedAt) },
  issued: { type: 'int', of: (job) => job.issued },
  refused: { type: 'json', of: (job) => JSON.stringify(job.refused) },
  next_item: { type: 'int', of: (job) => job.nextItem },
  per_second: { type: 'int', of: (job) => job.perSecond },
  lease_holder: { type: 'uuid', of: (job) => job.leaseHolder },
};

const insert = insertInto<Job>('jobs', { client_id: 'int' }, { ...given, ...changing });

/** In the order of their ids, as everything is locked. */
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

/** With every change by its holder the lease of a job begins anew. */
export const updateJobs = (clientId: number, jobs: readonly Job[]): Statement =>
  update([clientId], valuesOf({ job_id: jobId, ...changing }, jobs));

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

const insertRefusals = insertInto<JobRefusals>(
  'job_refusals',
  { client_id: 'int' },
  {
    job_id: jobId,
    carried_out: { type: 'int', of: (refusals) => refusals.carriedOut },
    refused: { type: 'int', of: (refusals) => refusals.list.length },
    list: { type: 'json', of: (refusals) => JSON.stringify(refusals.list) },
  },
);

export const insertJobRefusals = (clientId: number, refusals: readonly JobRefusals[]): Statement =>
  insertRefusals([clientId], refusals);

const selectOne = named(
  'get_job',
  `SELECT ${selected}, service_now() AS now FROM jobs j WHERE j.client_id = $1 AND j.job_id = $2`,
  ([row]: (JobRow & { now: Instant })[]) => row && { job: jobOfRow(row), now: row.now },
);

export const getJob = (clientId: number, jobId: string): Statement<{ job: Job; now: Instant } | undefined> =>
  selectOne([clientId, jobId]);

const selectPage = pageStatement<JobRow>('list_jobs', {
  at: 'j.created_at',
  id: 'j.job_id',
  status: 'job_status(j.begins_at, j.finished_at, j.stopped_at, clock.now)',
  from: 'jobs j',
  where: 'j.client_id = $6 AND j.parts >= 0',
  row: `SELECT ${selected} FROM jobs j WHERE j.client_id = $6 AND j.job_id = w.id`,
  size: 'coalesce(octet_length(r.shared::text), 0)',
});

export const listJobs = (clientId: number, wanted: PageWanted): Statement<Page<JobRow>> =>
  selectPage(wanted, [clientId]);

interface RefusalsRow {
  carried_out: number;
  list: KeptRefusal[];
  /** Of the last row that has refusals wanted, whether it was read or not; null where there are none. */
  last_wanted: number | null;
}

/** Refusals that are read at a time, in bytes as they are stored; one row may be longer. */
const readBytes = 1024 * 1024;

// Every row has at least one, so as many rows as refusals wanted are enough; of these only as many are read as are needed,
// which can be told without reading them.
const selectRefusals = named<RefusalsRow>(
  'job_refusals_after',
  `WITH near AS (
     SELECT r.carried_out, r.refused, r.list FROM job_refusals r
     WHERE r.client_id = $1 AND r.job_id = $2 AND r.carried_out >= $3::int ORDER BY r.carried_out LIMIT $4::int + 1),
   wanted AS (
     SELECT n.*, max(n.carried_out) OVER () AS last_wanted,
       sum(n.refused) OVER before_it - n.refused AS refused_before,
       sum(pg_column_size(n.list)) OVER before_it - pg_column_size(n.list) AS bytes_before
     FROM near n WINDOW before_it AS (ORDER BY n.carried_out))
   SELECT j.job_id, w.carried_out, w.list, w.last_wanted
   FROM jobs j LEFT JOIN wanted w ON w.refused_before < $4::int + $5::int AND w.bytes_before < ${readBytes}
   WHERE j.client_id = $1 AND j.job_id = $2 ORDER BY w.carried_out`,
);

/** Where a list of refusals goes on. */
export interface RefusalKey {
  /** The step it is of, by how many items were carried out before it. */
  carriedOut: number;
  /** In that step. */
  position: number;
}

export interface RefusalsPage {
  refusals: KeptRefusal[];
  /** What the next page begins with. */
  next: RefusalKey | null;
}

/** Undefined when there is no such job. */
export const findJobRefusals = (
  clientId: number,
  jobId: string,
  limit: number,
  from: RefusalKey,
): Statement<RefusalsPage | undefined> => {
  const statement = selectRefusals([clientId, jobId, from.carriedOut, limit, from.position]);
  return { ...statement, read: (result) => refusalsPage(statement.read(result), limit, from) };
};

function refusalsPage(rows: RefusalsRow[], limit: number, from: RefusalKey): RefusalsPage | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  if (first.last_wanted === null) return { refusals: [], next: null };
  const all = rows.flatMap(({ carried_out, list }) =>
    list.map((value, position) => ({ key: { carriedOut: carried_out, position }, value })),
  );
  const asked = all.filter(({ key }) => key.carriedOut > from.carriedOut || key.position >= from.position);
  const refusals = asked.slice(0, limit).map(({ value }) => value);
  const behind = asked[limit]?.key;
  const last = rows.at(-1) as RefusalsRow;
  const isMore = last.carried_out < (last.last_wanted as number);
  return { refusals, next: behind ?? (isMore ? { carriedOut: last.carried_out + 1, position: 0 } : null) };
}

// Of what is carried out ------------------------------------------------------------------------------------------------

const isCarriedOut = 'j.begins_at IS NOT NULL AND j.finished_at IS NULL AND j.stopped_at IS NULL';
const isLeased = 'j.lease_holder IS NOT NULL AND j.leased_until > clock_timestamp()';

// The clock in a subquery is read once.
const selectFree = named<JobKey>(
  'jobs_to_carry_out',
  `SELECT client_id, job_id FROM (
     SELECT DISTINCT ON (j.client_id) j.client_id, j.job_id, ${isLeased} AS is_leased FROM jobs j
     WHERE ${isCarriedOut} AND j.begins_at <= (SELECT service_now())
     ORDER BY j.client_id, ${isLeased} DESC, j.begins_at, j.job_id) first
   WHERE NOT is_leased`,
);

export interface JobKey {
  client_id: number;
  job_id: string;
}

/** Of each partner the job whose turn it is, unless a worker has one of its jobs: they run one after the other. */
export const findJobsToCarryOut = (): Statement<JobKey[]> => selectFree();

type JobToCarryOut = Pick<Job, 'jobId' | 'campaignId' | 'shared'>;

const take = named(
  'take_job',
  `UPDATE jobs j SET lease_holder = $3, leased_until = ${leaseEnd}
   WHERE j.client_id = $1 AND j.job_id = $2 AND ${isCarriedOut} AND NOT (${isLeased})
     AND NOT EXISTS (SELECT FROM jobs o WHERE o.client_id = $1 AND o.job_id <> $2 AND ${isCarriedOut.replaceAll('j.', 'o.')}
                     AND ${isLeased.replaceAll('j.', 'o.')})
   RETURNING j.campaign_id, j.shared`,
  ([row]: Pick<JobRow, 'campaign_id' | 'shared'>[]) => row,
);

/** Undefined when another has it, or another job of the partner, or it is over. */
export const takeJob = (clientId: number, jobId: string, holder: string): Statement<JobToCarryOut | undefined> => {
  const statement = take([clientId, jobId, holder]);
  const read: Statement<JobToCarryOut | undefined>['read'] = (result) => {
    const row = statement.read(result);
    return row && { jobId, campaignId: row.campaign_id, shared: row.shared };
  };
  return { ...statement, read };
};

const giveBack = named(
  'give_job_back',
  `UPDATE jobs SET lease_holder = NULL, leased_until = NULL WHERE client_id = $1 AND job_id = $2 AND lease_holder = $3`,
);

export const giveJobBack = (clientId: number, jobId: string, holder: string): Statement =>
  giveBack([clientId, jobId, holder]);

/** What is left of the first part that is left. */
export interface PartLeft {
  part: number;
  list: KeptItem[];
  nextItem: number;
  /** How many items of the job were carried out before it. */
  carriedOut: number;
}

type PartLeftRow = Pick<JobRow, 'next_item' | 'issued' | 'refused'> & { part: number; list: KeptItem[] };

const selectPartLeft = named(
  'next_job_part',
  `SELECT j.next_item, j.issued, j.refused, p.part, p.list
   FROM jobs j CROSS JOIN LATERAL (
     SELECT p.part, p.list FROM job_parts p WHERE p.client_id = $1 AND p.job_id = $2 ORDER BY p.part LIMIT 1) p
   WHERE j.client_id = $1 AND j.job_id = $2 AND j.lease_holder = $3`,
  ([row]: PartLeftRow[]) =>
    row && { part: row.part, list: row.list, nextItem: row.next_item, carriedOut: carriedOutOf(row) },
);

/** Undefined when nothing is left, or another has the job. */
export const findPartLeft = (clientId: number, jobId: string, holder: string): Statement<PartLeft | undefined> =>
  selectPartLeft([clientId, jobId, holder]);

// Of what is not wanted any more ----------------------------------------------------------------------------------------

// It shows as stopped until its parts are gone, so that nothing is added to what is being removed.
const abandon = named(
  'abandon_jobs',
  `UPDATE jobs SET abandoned = true, stopped_at = (SELECT service_now())
   WHERE (client_id, job_id) IN (
     SELECT j.client_id, j.job_id FROM jobs j
     WHERE NOT j.cleared AND j.started_at IS NULL AND j.stopped_at IS NULL
       AND j.created_at <= (SELECT service_now()) - interval '7 days'
     LIMIT 100 FOR UPDATE SKIP LOCKED)`,
);

/** Those that were left open for seven days. */
export const abandonJobs = (): Statement => abandon();

const selectUncleared = named(
  'job_to_clear',
  `SELECT j.client_id, j.job_id FROM jobs j
   WHERE NOT j.cleared AND (j.started_at IS NULL OR j.stopped_at IS NOT NULL) AND j.stopped_at IS NOT NULL LIMIT 1`,
  ([row]: JobKey[]) => row,
);

/** One that was stopped, and may have parts left. */
export const findJobToClear = (): Statement<JobKey | undefined> => selectUncleared();

const clearParts = named(
  'clear_job_parts',
  `DELETE FROM job_parts WHERE client_id = $1 AND job_id = $2 AND part = ANY (ARRAY(
     SELECT part FROM job_parts WHERE client_id = $1 AND job_id = $2 ORDER BY part LIMIT $3))`,
);
const removeAbandoned = named(
  'remove_abandoned_job',
  `DELETE FROM jobs j WHERE j.client_id = $1 AND j.job_id = $2 AND j.abandoned
     AND NOT EXISTS (SELECT FROM job_parts WHERE client_id = $1 AND job_id = $2)`,
);
const markCleared = named(
  'mark_job_cleared',
  `UPDATE jobs j SET cleared = true WHERE j.client_id = $1 AND j.job_id = $2
     AND NOT EXISTS (SELECT FROM job_parts WHERE client_id = $1 AND job_id = $2)`,
);

/** One small step: some of its parts go, or it goes itself, or it is known to have none. */
export async function clearJob(connection: Connection, { client_id, job_id }: JobKey, parts: number): Promise<void> {
  const { rowCount } = await connection.query(clearParts([client_id, job_id, parts]));
  if (rowCount === parts) return;
  await connection.query(removeAbandoned([client_id, job_id]));
  await connection.query(markCleared([client_id, job_id]));
}
