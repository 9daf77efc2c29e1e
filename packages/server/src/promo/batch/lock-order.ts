import type { Statement } from '../../engine/statement.ts';

/**
 * Every transaction of a batch locks rows in this order, and rows of one table by id, so that batches can't deadlock. A batch of
 * several partners locks the tables up to the clock partner by partner, in the order of their ids, and each of the heads for all of its
 * partners before the next. What a batch only reads needs no lock of its own: the number of free bets that a player holds is changed
 * under the lock on the campaign, bets under the lock on their free bet, and the parts of a job under the lock on the job.
 */
export const lockOrder = [
  'jobs',
  'job_quotas',
  'free_bets',
  'campaign_states',
  'sandbox_clocks',
  'audit_heads',
  'event_heads',
  'due_partners',
] as const;

/** The statements that lock rows of these tables, in the lock order. */
export const inLockOrder = (
  locking: { [Table in (typeof lockOrder)[number]]?: readonly Statement[] | undefined },
): Statement[] => lockOrder.flatMap((table) => locking[table] ?? []);
