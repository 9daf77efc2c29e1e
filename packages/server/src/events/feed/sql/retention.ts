import type { Pool } from 'pg';
import { keepInPlace } from '../../../engine/clock.ts';
import { clientIdsOf, isAmong, named, type Statement } from '../../../engine/statement.ts';
import { inOneTransaction } from '../../../engine/transaction.ts';
import { oldestKept, writtenAt } from './events.ts';

// The removal of events that are kept for long enough, with what is known of their deliveries.

const isOld = `${writtenAt} < world_now() - $2 * interval '1 day'`;

// Runs of receipts are in order and do not overlap. Of those that begin before the oldest event, along their index, one at most is
// passed over, which reaches over what is removed.

// The oldest that is kept, as `oldestKept` has it for one partner, and what is known of deliveries of events before it: one look at an index
// for each.
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

/** Of these partners, those that have something to be removed. */
export const findOldEvents = (clientIds: readonly number[], days: number): Statement<number[]> =>
  selectOld([clientIds, days]);

const addTail = named(
  'add_event_tail',
  'INSERT INTO event_tails (client_id, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

// From the oldest on, as far as all are old: two servers may number their batches in another order than they read the
// clock in, and a hole between events that are kept would hold up their readers. What is not counted yet (activity) stays, and so does
// the newest batch: a reader that has caught up must find the event at its cursor.
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

// What is known of events that are gone, or all of it when none is left.
const removeDeliveries = named(
  'remove_old_webhook_deliveries',
  `DELETE FROM webhook_deliveries WHERE client_id = $1 AND sequence = ANY (ARRAY(
     SELECT sequence FROM webhook_deliveries WHERE client_id = $1 AND sequence < ${oldestKept} ORDER BY sequence LIMIT $2))`,
);

// A courier may make a run longer after it was selected: then it stays.
const removeReceipts = named(
  'remove_old_webhook_receipts',
  `DELETE FROM webhook_receipts WHERE client_id = $1 AND last_sequence < ${oldestKept} AND first_sequence = ANY (ARRAY(
     SELECT first_sequence FROM webhook_receipts
     WHERE client_id = $1 AND first_sequence < ${oldestKept} AND last_sequence < ${oldestKept} ORDER BY first_sequence LIMIT $2))`,
);

// What is gone cannot be tried any more, and would wait for ever.
const passOverOld = named(
  'pass_over_old_events',
  `UPDATE webhooks w SET attempted_through = k.oldest - 1
   FROM (SELECT ${oldestKept} AS oldest) k
   WHERE w.client_id = $1 AND w.attempted_through < k.oldest - 1`,
);

const counted = (removal: Statement): Statement<number> => ({ ...removal, read: ({ rowCount }) => rowCount ?? 0 });

/**
 * One small step; whether there may be more to remove. A run of receipts goes with the last event it tells of. All of it or nothing: a webhook
 * that is left at what is gone would not be found again.
 */
export async function removeOldEvents(pool: Pool, clientId: number, days: number, limit: number): Promise<boolean> {
  const events = counted(removeOld([clientId]));
  const deliveries = counted(removeDeliveries([clientId, limit]));
  const receipts = counted(removeReceipts([clientId, limit]));
  const moving = [addTail([clientId]), moveTail([clientId, days, limit])];
  const writes = [keepInPlace(clientId), ...moving, events, passOverOld([clientId]), deliveries, receipts];
  const removed = await inOneTransaction(pool, writes);
  return [events, deliveries, receipts].some((removal) => removed.of(removal) === limit);
}
