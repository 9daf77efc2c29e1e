import type { Pool } from 'pg';
import { findDue, type WorkKind } from '../../../background/sql/work.ts';
import { aheadOfMany, partnerNowOfMany, worldTimeOfMany } from '../../../engine/clock.ts';
import type { Connection } from '../../../engine/connection.ts';
import { ask, isAmong, named, pinPartners, type Statement } from '../../../engine/statement.ts';
import { inOneTransaction } from '../../../engine/transaction.ts';
import type { Instant, WorldInstant } from '../../../primitives/amounts.ts';
import { isWaitingForApproval } from '../../drafts/sql/drafts.ts';
import { failedKeptDays } from '../end-rules.ts';
import { type Job, processedCount, type StoredItem } from '../job.ts';
import { isFailed, type JobRow, leaseEnd } from './jobs.ts';

// Statements for job workers: due jobs and their leases, remaining parts, and the removal of old jobs.

export const isRunnable = (job: string) =>
  `${job}.begins_at IS NOT NULL AND ${job}.finished_at IS NULL AND ${job}.stopped_at IS NULL`;
/** The jobs of a disabled partner wait until it is enabled. */
export const isDisabled = (client: string) =>
  `EXISTS (SELECT FROM partners p WHERE p.client_id = ${client} AND p.disabled_at IS NOT NULL)`;
const isHeldByOther = (job: string, holder: string) =>
  `(${job}.lease_holder IS NOT NULL AND ${job}.lease_holder <> ${holder} AND ${job}.leased_until > statement_timestamp())`;

// Reads only the first job of each partner along the index; jobs scheduled for later are not read.
const selectFree = named<JobFound>(
  'jobs_to_carry_out',
  `SELECT w.client_id, first.job_id, first.begins_at, first.leased_until
   FROM event_heads w ${aheadOfMany('w.client_id')} CROSS JOIN LATERAL (
     SELECT j.job_id, j.begins_at, j.leased_until FROM jobs j
     WHERE j.client_id = w.client_id AND ${isAmong('j', '$2')} AND ${isRunnable('j')} AND j.begins_at <= ${partnerNowOfMany}
     ORDER BY j.begins_at, j.job_id LIMIT 1) first
   WHERE ${isAmong('w', '$2')}
     AND NOT EXISTS (SELECT FROM jobs o WHERE o.client_id = w.client_id AND ${isAmong('o', '$2')} AND ${isHeldByOther('o', '$1')})
     AND NOT ${isDisabled('w.client_id')}`,
);

export interface JobKey {
  client_id: number;
  job_id: string;
}

export interface JobFound extends JobKey {
  begins_at: Instant;
  leased_until: WorldInstant | null;
}

/** Jobs whose last lease ended earliest come first. */
export const byWaitingTime = (a: JobFound, b: JobFound): number =>
  (a.leased_until ?? 0) - (b.leased_until ?? 0) || a.begins_at - b.begins_at || a.client_id - b.client_id;

/**
 * The next job of each partner. Skips partners of which another worker has a job, because a partner's jobs run one
 * after another, and disabled partners.
 */
export const findRunnableJobs = (holder: string, clientIds: readonly number[]): Statement<JobFound[]> =>
  selectFree([holder, clientIds]);

export const runnableJobs: WorkKind = {
  name: 'jobs',
  dueAt: worldTimeOfMany(`(SELECT j.begins_at FROM jobs j
    WHERE j.client_id = h.client_id AND ${isAmong('j', '$1')} AND ${isRunnable('j')} AND p.client_id IS NULL
    ORDER BY j.begins_at LIMIT 1)`),
};

/** Finds the partners with a job due now, even if another server has it. */
export const findPartnersWithJobs = findDue(runnableJobs);

type RunnableJob = Pick<Job, 'jobId' | 'campaignId' | 'shared' | 'attempts'>;

const endOthers = named(
  'end_other_job_leases',
  `UPDATE jobs o SET lease_holder = NULL
   WHERE o.client_id = $1 AND o.job_id <> $2 AND o.lease_holder IS NOT NULL AND NOT ${isHeldByOther('o', '$3')}`,
);

/**
 * Call this before taking a job of the partner: it ends expired leases and this holder's leases on the partner's other
 * jobs. A unique index refuses a second held job.
 */
export const endOtherLeases = (clientId: number, jobId: string, holder: string): Statement =>
  endOthers([clientId, jobId, holder]);

const take = named(
  'take_job',
  `UPDATE jobs j SET lease_holder = $3, leased_until = ${leaseEnd},
     attempts = CASE WHEN j.lease_holder = $3 THEN j.attempts ELSE j.attempts + 1 END
   WHERE j.client_id = $1 AND j.job_id = $2 AND ${isRunnable('j')} AND NOT ${isHeldByOther('j', '$3')}
   RETURNING j.campaign_id, j.shared, j.attempts`,
  ([row]: Pick<JobRow, 'campaign_id' | 'shared' | 'attempts'>[]) => row,
);

/**
 * Counts an attempt before any step, because a step may crash this process. A holder that takes the job again after
 * failing to give it back has already counted its attempt. Returns undefined if another server has the job or the job
 * is over. Fails with a lost race if another server has another job of the partner.
 */
export const takeJob = (clientId: number, jobId: string, holder: string): Statement<RunnableJob | undefined> => {
  const statement = take([clientId, jobId, holder]);
  const read: Statement<RunnableJob | undefined>['read'] = (result) => {
    const row = statement.read(result);
    return row && { jobId, campaignId: row.campaign_id, shared: row.shared, attempts: row.attempts };
  };
  return { ...statement, read };
};

const renewLease = named(
  'keep_job_lease',
  `UPDATE jobs SET leased_until = ${leaseEnd} WHERE client_id = $1 AND job_id = $2 AND lease_holder = $3`,
);

/** Renews the lease of a holder whose next step is waiting. */
export const renewJobLease = (clientId: number, jobId: string, holder: string): Statement =>
  renewLease([clientId, jobId, holder]);

// Subtracts the attempt even if another server has taken the job meanwhile, because this server has not failed.
const giveBack = named(
  'give_job_back',
  `UPDATE jobs j SET attempts = greatest(j.attempts - CASE WHEN $4::bool THEN 0 ELSE 1 END, 0),
     lease_holder = nullif(j.lease_holder, $3), per_second = CASE WHEN j.lease_holder = $3 THEN NULL ELSE j.per_second END
   WHERE j.client_id = $1 AND j.job_id = $2
     AND (j.lease_holder = $3 OR NOT $4::bool AND j.finished_at IS NULL AND j.stopped_at IS NULL)`,
);

/** The row keeps the lease end, by which jobs take turns. The attempt still counts if it failed. */
export const releaseJobLease = (clientId: number, jobId: string, holder: string, hasFailed: boolean): Statement =>
  giveBack([clientId, jobId, holder, hasFailed]);

/** The first remaining part of a job. */
export interface RemainingPart {
  part: number;
  list: StoredItem[];
  /** How many items were added; `list` must have as many. */
  items: number;
  /** The bytes of the stored list. */
  bytes: number;
  nextItem: number;
  /** How many items of the job were already processed. */
  processed: number;
}

type RemainingPartRow = Pick<JobRow, 'next_item' | 'issued' | 'refused'> &
  Omit<RemainingPart, 'nextItem' | 'processed'>;

const selectRemainingPart = named(
  'next_job_part',
  `SELECT j.next_item, j.issued, j.refused, p.part, p.items, p.list, octet_length(p.list::text) AS bytes
   FROM jobs j CROSS JOIN LATERAL (
     SELECT p.part, p.items, p.list FROM job_parts p WHERE p.client_id = $1 AND p.job_id = $2 ORDER BY p.part LIMIT 1) p
   WHERE j.client_id = $1 AND j.job_id = $2 AND j.lease_holder = $3`,
  ([row]: RemainingPartRow[]) =>
    row && {
      part: row.part,
      items: row.items,
      bytes: row.bytes,
      list: row.list,
      nextItem: row.next_item,
      processed: processedCount(row),
    },
);

/** Undefined if no part remains or another worker has the job. */
export const findRemainingPart = (
  clientId: number,
  jobId: string,
  holder: string,
): Statement<RemainingPart | undefined> => selectRemainingPart([clientId, jobId, holder]);

const selectFirstPart = named(
  'first_job_part',
  `SELECT p.part FROM job_parts p WHERE p.client_id = $1 AND p.job_id = $2 ORDER BY p.part LIMIT 1`,
  ([row]: { part: number }[]) => row?.part ?? null,
);

/** The number of the first remaining part; null if there is none. */
export const findFirstPart = (clientId: number, jobId: string): Statement<number | null> =>
  selectFirstPart([clientId, jobId]);

const holds = named(
  'holds_job',
  `SELECT j.job_id FROM jobs j WHERE j.client_id = $1 AND j.job_id = $2 AND j.lease_holder = $3 AND ${isRunnable('j')}`,
  (rows: Pick<JobKey, 'job_id'>[]) => rows.length > 0,
);

/** Whether this holder has the job and the job is not over. */
export const holdsJob = (clientId: number, jobId: string, holder: string): Statement<boolean> =>
  holds([clientId, jobId, holder]);

export const isOpen = (job: string) => `NOT ${job}.cleared AND ${job}.started_at IS NULL AND ${job}.stopped_at IS NULL`;
const isStopped = (job: string) => `NOT ${job}.cleared AND ${job}.stopped_at IS NOT NULL`;

export const openJobLifetime = `interval '7 days'`;
const failedJobLifetime = `interval '${failedKeptDays} days'`;

// Any stopped job is due, because its `stopped_at` is in the past. A job that waits for approval is included, because
// the time of the decision is not known.
export const jobsToRemove: WorkKind = {
  name: 'job_removal',
  dueAt: worldTimeOfMany(`least(
    (SELECT j.stopped_at FROM jobs j WHERE j.client_id = h.client_id AND ${isAmong('j', '$1')} AND ${isStopped('j')}
     ORDER BY j.created_at LIMIT 1),
    (SELECT j.created_at + ${openJobLifetime} FROM jobs j WHERE j.client_id = h.client_id AND ${isAmong('j', '$1')} AND ${isOpen('j')}
     ORDER BY j.created_at LIMIT 1),
    (SELECT j.finished_at + ${failedJobLifetime} FROM jobs j WHERE j.client_id = h.client_id AND ${isAmong('j', '$1')} AND ${isFailed('j')}
     ORDER BY j.finished_at LIMIT 1))`),
};

/** Finds the partners that may have jobs or parts to remove. */
export const findPartnersWithOldJobs = findDue(jobsToRemove);

const selectFailedLongAgo = named<JobKey>(
  'jobs_failed_long_ago',
  `SELECT j.client_id, j.job_id FROM jobs j ${aheadOfMany('j.client_id')}
   WHERE ${isAmong('j', '$1')} AND ${isFailed('j')} AND j.finished_at <= ${partnerNowOfMany} - ${failedJobLifetime} LIMIT 100`,
);

/** Some of the jobs of these partners that failed more than `failedKeptDays` ago and must be stopped. */
export const findJobsToGiveUp = (clientIds: readonly number[]): Statement<JobKey[]> => selectFailedLongAgo([clientIds]);

const countAllFailed = named(
  'failed_jobs',
  `SELECT count(*)::int AS count FROM jobs j WHERE ${isFailed('j')}`,
  ([row]: { count: number }[]) => row?.count ?? 0,
);

/** Counts the failed jobs of all partners. */
export const countFailedJobs = (connection: Connection): Promise<number> => ask(connection, countAllFailed());

// The job is stopped before its parts are removed, so that no part can be added meanwhile.
const isLeftOpen = (now: string) => `${isOpen('j')}
  AND j.created_at <= ${now} - ${openJobLifetime} AND NOT ${isWaitingForApproval('j')}`;

const selectLeftOpen = named<JobKey & { now: Instant }>(
  'jobs_left_open',
  `SELECT j.client_id, j.job_id, ${partnerNowOfMany} AS now FROM jobs j ${aheadOfMany('j.client_id')}
   WHERE ${isAmong('j', '$1')} AND ${isLeftOpen(partnerNowOfMany)} LIMIT 100`,
);

const lockLeft = named('lock_job_left_open', 'SELECT FROM jobs WHERE client_id = $1 AND job_id = $2 FOR UPDATE');
const abandon = named(
  'abandon_job',
  `UPDATE jobs j SET abandoned = true, stopped_at = $3::timestamptz
   WHERE j.client_id = $1 AND j.job_id = $2 AND ${isLeftOpen('$3::timestamptz')}`,
);

/**
 * Stops some jobs that were open for seven days and that no draft is waiting to start. Each condition is checked again
 * after locking the job, because submitting a draft holds the job's row until it commits.
 */
export async function abandonJobs(pool: Pool, clientIds: readonly number[]): Promise<void> {
  const found = await ask(pool, selectLeftOpen([clientIds]));
  for (const { client_id, job_id, now } of found) {
    const locking = [pinPartners([client_id]), lockLeft([client_id, job_id])];
    const abandoning = abandon([client_id, job_id, new Date(now).toISOString()]);
    await inOneTransaction(pool, [...locking, abandoning]);
  }
}

const selectUncleared = named(
  'job_to_clear',
  `SELECT j.client_id, j.job_id FROM jobs j
   WHERE ${isAmong('j', '$1')} AND ${isStopped('j')} LIMIT 1`,
  ([row]: JobKey[]) => row,
);

/** A stopped job of these partners that may still have parts. */
export const findJobToClear = (clientIds: readonly number[]): Statement<JobKey | undefined> =>
  selectUncleared([clientIds]);

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

/** One small step: removes some parts; after the last one, removes an abandoned job or marks the job as cleared. */
export async function clearJob(connection: Connection, { client_id, job_id }: JobKey, parts: number): Promise<void> {
  const { rowCount } = await connection.query(clearParts([client_id, job_id, parts]));
  if (rowCount === parts) return;
  await connection.query(removeAbandoned([client_id, job_id]));
  await connection.query(markCleared([client_id, job_id]));
}
