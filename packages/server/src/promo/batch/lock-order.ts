import type { Statement } from '../../engine/statement.ts';

/**
 * Every batch locks rows in this order, and rows of one table by id, so that batches can't deadlock. A batch of several
 * partners locks the tables up to `sandbox_clocks` partner by partner, in the order of their ids. It then locks each
 * later table for all of its partners before the next table. Rows that a batch only reads need no lock of their own:
 * the number of free bets that a player holds changes under the lock on the campaign, bets under the lock on their free
 * bet, and the parts of a job under the lock on the job.
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
