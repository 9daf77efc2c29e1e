import type { Pool } from 'pg';
import { clientIdsOf, isAmong, named, pinPartners, type Statement } from '../../../engine/statement.ts';
import { inOneTransaction } from '../../../engine/transaction.ts';
import { oldestKept, writtenAt } from './events.ts';

// Removes events after the retention period, with the results of their deliveries.

const isOld = `${writtenAt} < world_now() - $2 * interval '1 day'`;

// Runs of receipts are sorted and do not overlap. So of the runs that begin before the oldest event, the query skips at
// most one in the index: the run that reaches past the removed events.

// Compares the oldest kept event, as `oldestKept` finds it for one partner, with the delivery rows of earlier events.
// Takes one index lookup for each.
const selectOld = named(
  'partners_with_old_events',
  `SELECT h.client_id FROM (
     SELECT e.client_id, e.last_sequence, coalesce((
         SELECT b.first_sequence FROM event_batches b WHERE b.client_id = e.client_id AND ${isAmong('b', '$1')}
         ORDER BY b.first_sequence LIMIT 1), e.last_sequence + 1) AS oldest
     FROM event_heads e WHERE ${isAmong('e', '$1')}) h
   WHERE EXISTS (SELECT FROM event_batches b
                 WHERE b.client_id = h.client_id AND ${isAmong('b', '$1')} AND b.first_sequence = h.oldest
                   AND b.last_sequence < h.last_sequence AND ${isOld})
     OR EXISTS (SELECT FROM webhook_deliveries d
                WHERE d.client_id = h.client_id AND ${isAmong('d', '$1')} AND d.sequence < h.oldest)
     OR EXISTS (SELECT FROM webhook_receipts r
                WHERE r.client_id = h.client_id AND ${isAmong('r', '$1')} AND r.first_sequence < h.oldest AND r.last_sequence < h.oldest)
   ORDER BY 1`,
  clientIdsOf,
);

/** Those of the given partners that have something to remove. */
export const findOldEvents = (clientIds: readonly number[], days: number): Statement<number[]> =>
  selectOld([clientIds, days]);

const addTail = named(
  'add_event_tail',
  'INSERT INTO event_tails (client_id, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

// Removes from the oldest batch on, up to the first that must stay. Servers may number their batches in another order
// than that of their clocks, and a gap between kept events would block readers. Uncounted events (activity) stay. So
// does the newest batch, because a reader that has caught up must find the event at its cursor.
const moveTail = named(
  'move_event_tail',
  `WITH removable AS (
     SELECT first_sequence, bool_and(${isOld}
         AND last_sequence < (SELECT last_sequence FROM event_heads WHERE client_id = $1)
         AND last_sequence <= coalesce((SELECT position FROM activity_heads WHERE client_id = $1), 0))
       OVER (ORDER BY first_sequence) AS is_old
     FROM event_batches WHERE client_id = $1 ORDER BY first_sequence LIMIT $3)
   UPDATE event_tails t SET sequence = b.last_sequence, event_id = (b.events -> -1 ->> 'id')::uuid
   FROM event_batches b
   WHERE t.client_id = $1 AND b.client_id = $1 AND b.last_sequence > t.sequence
     AND b.first_sequence = (SELECT max(first_sequence) FROM removable WHERE is_old)`,
);

const removeOld = named(
  'remove_old_events',
  `DELETE FROM event_batches
   WHERE client_id = $1 AND first_sequence <= (SELECT sequence FROM event_tails WHERE client_id = $1)`,
);

// Removes the delivery rows of removed events: all rows if no event is left.
const removeDeliveries = named(
  'remove_old_webhook_deliveries',
  `DELETE FROM webhook_deliveries WHERE client_id = $1 AND sequence = ANY (ARRAY(
     SELECT sequence FROM webhook_deliveries WHERE client_id = $1 AND sequence < ${oldestKept} ORDER BY sequence LIMIT $2))`,
);

// A courier may extend a run after it was selected. Then it stays.
const removeReceipts = named(
  'remove_old_webhook_receipts',
  `DELETE FROM webhook_receipts WHERE client_id = $1 AND last_sequence < ${oldestKept} AND first_sequence = ANY (ARRAY(
     SELECT first_sequence FROM webhook_receipts
     WHERE client_id = $1 AND first_sequence < ${oldestKept} AND last_sequence < ${oldestKept} ORDER BY first_sequence LIMIT $2))`,
);

// Removed events can't be attempted, and would stay pending forever.
const skipRemoved = named(
  'pass_over_old_events',
  `UPDATE webhooks w SET attempted_through = k.oldest - 1
   FROM (SELECT ${oldestKept} AS oldest) k
   WHERE w.client_id = $1 AND w.attempted_through < k.oldest - 1`,
);

const counted = (removal: Statement): Statement<number> => ({ ...removal, read: ({ rowCount }) => rowCount ?? 0 });

/**
 * Removes one small step, and returns whether more may remain. A run of receipts is removed with its last event. One
 * transaction, because a webhook whose position is before the removed events would not be found again.
 */
export async function removeOldEvents(pool: Pool, clientId: number, days: number, limit: number): Promise<boolean> {
  const events = counted(removeOld([clientId]));
  const deliveries = counted(removeDeliveries([clientId, limit]));
  const receipts = counted(removeReceipts([clientId, limit]));
  const moving = [addTail([clientId]), moveTail([clientId, days, limit])];
  const writes = [pinPartners([clientId]), ...moving, events, skipRemoved([clientId]), deliveries, receipts];
  const removed = await inOneTransaction(pool, writes);
  return [events, deliveries, receipts].some((removal) => removed.of(removal) === limit);
}
