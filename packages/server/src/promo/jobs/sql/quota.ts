import { type Access, inAccess } from '../../../engine/access.ts';
import { named, type Statement } from '../../../engine/statement.ts';
import type { JobQuota } from '../job.ts';

// The number and bytes of a partner's unfinished jobs, summed each time from few rows so that no stored count can
// drift. The lock is a separate row, because a job that is being created has no row yet.

const addRow = named('add_job_quota', 'INSERT INTO job_quotas (client_id) VALUES ($1) ON CONFLICT DO NOTHING');

const lockRow = named('lock_job_quota', 'SELECT client_id FROM job_quotas WHERE client_id = $1 FOR UPDATE');

// A separate statement, because it must see what others committed before they released the lock.
const sumUp = inAccess((access) =>
  named(
    `${access}_sum_of_jobs`,
    `SELECT count(*) FILTER (WHERE j.stopped_at IS NULL) AS jobs, coalesce(sum(j.bytes), 0)::bigint AS bytes
     FROM jobs j WHERE j.client_id = $1 AND (j.finished_at IS NULL OR j.failure IS NOT NULL) AND NOT j.cleared`,
    ([row]: JobQuota[]) => row ?? { jobs: 0, bytes: 0 },
  ),
);

/** The last statement returns the sum. */
export function findJobQuota(access: Access, clientId: number) {
  const sum: Statement<JobQuota> = sumUp[access]([clientId]);
  const locking = access === 'lock' ? [addRow([clientId]), lockRow([clientId])] : [];
  return { statements: [...locking, sum], sum };
}
