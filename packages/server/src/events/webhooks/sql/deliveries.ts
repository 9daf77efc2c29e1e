import type { Connection } from '../../../engine/connection.ts';
import type { WorldInstant } from '../../../primitives/amounts.ts';
import { oldestKept } from '../../feed/sql/events.ts';

// Deliveries of single events: their results, and resending by hand.

export type DeliveryState = 'waiting' | 'received' | 'failed';

export interface Delivery {
  sequence: number;
  state: DeliveryState | 'not sent';
  attempts: number;
  attempted_at: WorldInstant | null;
  next_attempt_at: WorldInstant | null;
  outcome: string | null;
}

export interface DeliveriesWanted {
  state: DeliveryState | null;
  /** The lowest and the highest sequence number. */
  from: number;
  to: number;
  /** Null for all deliveries. */
  limit: number | null;
}

/** Sorted from the latest to the oldest. */
export const findDeliveries = (connection: Connection, clientId: number, wanted: DeliveriesWanted) =>
  wanted.state === null
    ? deliveriesInAnyState(connection, clientId, wanted)
    : deliveriesIn(connection, clientId, wanted);

/** Events from before the webhook was set are 'not sent'. */
async function deliveriesInAnyState(connection: Connection, clientId: number, { from, to, limit }: DeliveriesWanted) {
  const { rows } = await connection.query<Delivery>({
    text: `SELECT e.sequence,
             CASE WHEN d.state IS NOT NULL THEN d.state WHEN e.sequence > w.attempted_through THEN 'waiting'
                  WHEN e.sequence <= r.last_sequence THEN 'received' ELSE 'not sent' END AS state,
             coalesce(d.attempts, CASE WHEN e.sequence <= r.last_sequence THEN 1 ELSE 0 END) AS attempts,
             coalesce(d.attempted_at, CASE WHEN e.sequence <= r.last_sequence THEN r.received_at END) AS attempted_at,
             CASE WHEN d.state = 'waiting' THEN d.next_attempt_at END AS next_attempt_at,
             d.outcome
           FROM webhooks w JOIN event_heads h USING (client_id)
           CROSS JOIN LATERAL (SELECT ${oldestKept} AS oldest, least(h.last_sequence, $3::bigint) AS latest) k
           CROSS JOIN LATERAL generate_series(k.latest, greatest(k.latest - $4::int + 1, k.oldest, $2::bigint), -1)
             AS e(sequence)
           LEFT JOIN webhook_deliveries d ON d.client_id = $1 AND d.sequence = e.sequence
           LEFT JOIN LATERAL (
             SELECT * FROM webhook_receipts r WHERE r.client_id = $1 AND r.first_sequence <= e.sequence
             ORDER BY r.first_sequence DESC LIMIT 1) r ON true
           WHERE w.client_id = $1 ORDER BY e.sequence DESC`,
    values: [clientId, from, to, limit],
  });
  return rows;
}

/** Deliveries with a row, receipts at the first attempt, and events not attempted yet. */
async function deliveriesIn(connection: Connection, clientId: number, { state, from, to, limit }: DeliveriesWanted) {
  const { rows } = await connection.query<Delivery>({
    text: `(SELECT sequence, state, attempts, attempted_at,
              CASE WHEN state = 'waiting' THEN next_attempt_at END AS next_attempt_at, outcome
            FROM webhook_deliveries WHERE client_id = $1 AND state = $2 AND sequence BETWEEN greatest($4::bigint, ${oldestKept}) AND $5::bigint
            ORDER BY sequence DESC LIMIT $3)
           UNION ALL
           (SELECT s.sequence, 'received', 1, r.received_at, NULL, NULL
            FROM webhook_receipts r
            CROSS JOIN LATERAL generate_series(
              greatest(r.first_sequence, $4, ${oldestKept}), least(r.last_sequence, $5)) AS s(sequence)
            WHERE $2 = 'received' AND r.client_id = $1 AND r.first_sequence <= $5 AND r.last_sequence >= $4 AND NOT EXISTS (
              SELECT FROM webhook_deliveries d WHERE d.client_id = $1 AND d.sequence = s.sequence)
            ORDER BY r.first_sequence DESC, s.sequence DESC LIMIT $3)
           UNION ALL
           (SELECT s.sequence, 'waiting', 0, NULL, NULL, NULL
            FROM webhooks w JOIN event_heads h USING (client_id)
            CROSS JOIN LATERAL (SELECT ${oldestKept} AS oldest, least(h.last_sequence, $5) AS latest) k
            CROSS JOIN LATERAL generate_series(
              greatest(w.attempted_through + 1, k.oldest, $4, k.latest - $3::int + 1), k.latest) AS s(sequence)
            WHERE $2 = 'waiting' AND client_id = $1)
           ORDER BY sequence DESC LIMIT $3`,
    values: [clientId, state, limit, from, to],
  });
  return rows;
}

/**
 * Resends events, regardless of their state, and returns how many will be sent. Skips events that are no longer kept,
 * or not attempted yet. `resent` distinguishes attempts in progress: their results must not overwrite the new state.
 * Rows are updated in the order of sequence numbers, as couriers do, to avoid deadlocks.
 */
export async function resendEvents(connection: Connection, clientId: number, sequences: readonly number[]) {
  const { rowCount } = await connection.query({
    text: `INSERT INTO webhook_deliveries (client_id, sequence, state, attempts, next_attempt_at, resent)
           SELECT w.client_id, e.sequence, 'waiting', 0, world_now(), 1
           FROM webhooks w JOIN unnest($2::bigint[]) AS e(sequence) ON e.sequence BETWEEN ${oldestKept} AND w.attempted_through
           WHERE w.client_id = $1 ORDER BY e.sequence
           ON CONFLICT (client_id, sequence) DO UPDATE SET state = 'waiting', attempts = 0, next_attempt_at = excluded.next_attempt_at,
             resent = webhook_deliveries.resent + 1`,
    values: [clientId, sequences],
  });
  return rowCount ?? 0;
}
