import assert from 'node:assert/strict';
import { findActiveIds } from '../../../background/sql/due.ts';
import type { Connection } from '../../../engine/connection.ts';
import { ask, named, pinPartners } from '../../../engine/statement.ts';
import type { WorldInstant } from '../../../primitives/amounts.ts';
import { oldestKept, oldestKeptOf, writtenAt } from '../../feed/sql/events.ts';

// The webhooks of partners. Only the courier that holds the lease of a webhook writes its progress.

export interface Webhook {
  url: string;
  set_at: WorldInstant;
  off_at: WorldInstant | null;
  off_reason: string | null;
  failing_since: WorldInstant | null;
  /** The last attempted event. Later ones have not been attempted. */
  attempted_through: number;
  /** The partner's latest event; 0 before the first. */
  last_sequence: number;
  /** The oldest event that is kept, or the next event if none is. */
  oldest_kept: number;
  /** Events not received yet, including those due for a retry. */
  waiting: number;
  /** Deliveries that have failed after the last attempt. */
  failed: number;
}

/** Until the transaction ends, the courier can't record anything. */
export async function lockWebhook(connection: Connection, clientId: number): Promise<void> {
  await ask(connection, pinPartners([clientId]));
  await connection.query({ text: 'SELECT FROM webhooks WHERE client_id = $1 FOR UPDATE', values: [clientId] });
}

const nextNew = 'greatest(w.attempted_through + 1, w.oldest_kept)';
/**
 * Selects webhooks `w`, and for each the number of kept events that it has not received and the first of them.
 * Retention may remove delivery rows later than their events, so rows of removed events are ignored.
 */
const withWaiting = (clientId: string, areWanted: string): string => {
  const waiting = `webhook_deliveries d WHERE d.client_id = ${clientId} AND d.state = 'waiting' AND d.sequence >= w.oldest_kept`;
  return `
    SELECT w.*, w.last_sequence + 1 - ${nextNew} + (SELECT count(*) FROM ${waiting}) AS waiting,
      coalesce((SELECT min(d.sequence) FROM ${waiting}), ${nextNew}) AS first_waiting
    FROM (
      SELECT w.*, coalesce(h.last_sequence, 0) AS last_sequence, ${oldestKeptOf(clientId)} AS oldest_kept
      FROM webhooks w LEFT JOIN event_heads h ON h.client_id = w.client_id WHERE ${areWanted}) w`;
};

/** The time of the last attempt, accurate to a minute, as receipts are recorded. Null before the first. */
export async function readLastAttempt(connection: Connection, clientId: number): Promise<WorldInstant | null> {
  const { rows } = await connection.query<{ at: WorldInstant | null }>({
    text: `SELECT greatest(
             (SELECT max(attempted_at) FROM webhook_deliveries WHERE client_id = $1),
             (SELECT received_at FROM webhook_receipts WHERE client_id = $1 ORDER BY first_sequence DESC LIMIT 1)) AS at`,
    values: [clientId],
  });
  return rows[0]?.at ?? null;
}

const selectKept = named(
  'kept_events',
  `SELECT (SELECT last_sequence FROM event_heads WHERE client_id = $1)::float8 AS last,
     ${oldestKept}::float8 AS oldest`,
  ([row]: { last: number | null; oldest: number }[]) => {
    assert(row, 'a SELECT without FROM has one row');
    return row;
  },
);

/**
 * Starts at the event `from`. With null, an existing webhook continues where it stopped, and a new one starts at the
 * next event. Requires a transaction: deliveries must not change between its statements.
 */
export async function saveWebhook(connection: Connection, clientId: number, url: string, from: number | null) {
  // First of all, so that a courier has finished recording, or has lost its lease.
  await lockWebhook(connection, clientId);
  const { last, oldest } = await ask(connection, selectKept([clientId]));
  // The event before `from`, or before the oldest kept event.
  const before = from === null ? null : Math.max(from, oldest) - 1;
  await connection.query({
    text: `INSERT INTO webhooks AS w (client_id, url, attempted_through) VALUES ($1, $2, $3)
           ON CONFLICT (client_id) DO UPDATE SET url = EXCLUDED.url, set_at = EXCLUDED.set_at, off_at = NULL,
             off_reason = NULL, failing_since = NULL, lease_holder = NULL, leased_until = NULL,
             attempted_through = coalesce($4::bigint, w.attempted_through)`,
    values: [clientId, url, before ?? last ?? 0, before],
  });
  if (from !== null) await forgetDeliveriesFrom(connection, clientId, from);
  await connection.query({
    text: `UPDATE webhook_deliveries SET next_attempt_at = world_now() WHERE client_id = $1 AND state = 'waiting'`,
    values: [clientId],
  });
}

/** Removes earlier results, so that these events are sent as new ones. */
async function forgetDeliveriesFrom(connection: Connection, clientId: number, from: number): Promise<void> {
  const statements = [
    'DELETE FROM webhook_deliveries WHERE client_id = $1 AND sequence >= $2',
    'DELETE FROM webhook_receipts WHERE client_id = $1 AND first_sequence >= $2',
    `UPDATE webhook_receipts SET last_sequence = $2::bigint - 1 WHERE client_id = $1 AND last_sequence >= $2
       AND first_sequence = (SELECT max(first_sequence) FROM webhook_receipts WHERE client_id = $1 AND first_sequence < $2)`,
  ];
  for (const text of statements) await connection.query({ text, values: [clientId, from] });
}

export interface RemovedDeliveries {
  /** Events not received yet, including those not attempted. */
  waiting: number;
  received: number;
  failed: number;
}

/**
 * Removes the webhook and its deliveries, and returns how many events were in each state. Requires a transaction. The
 * row is locked first, so that a courier has finished recording, and a later one finds no lease.
 */
export async function removeWebhook(connection: Connection, clientId: number): Promise<RemovedDeliveries> {
  await lockWebhook(connection, clientId);
  const known = await ask(connection, countKnown([clientId]));
  for (const table of ['webhooks', 'webhook_deliveries', 'webhook_receipts']) {
    await connection.query({ text: `DELETE FROM ${table} WHERE client_id = $1`, values: [clientId] });
  }
  return known;
}

const withWaitingOfOne = withWaiting('$1', 'w.client_id = $1');

// An event has its own row, or is in a run of receipts. If it is in both, the row counts. Rows of removed events are
// ignored here too; a run may begin before the oldest kept event.
const countKnown = named(
  'known_deliveries',
  `SELECT w.waiting, d.failed, d.received + (
       SELECT coalesce(sum(r.last_sequence - greatest(r.first_sequence, w.oldest_kept) + 1), 0)::bigint
       FROM webhook_receipts r WHERE r.client_id = $1 AND r.last_sequence >= w.oldest_kept) AS received
   FROM (${withWaitingOfOne}) w CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE state = 'failed') AS failed,
       count(*) FILTER (WHERE state = 'received') - count(*) FILTER (WHERE (
         SELECT r.last_sequence >= d.sequence FROM webhook_receipts r WHERE r.client_id = $1 AND r.first_sequence <= d.sequence
         ORDER BY r.first_sequence DESC LIMIT 1)) AS received
     FROM webhook_deliveries d WHERE d.client_id = $1 AND d.sequence >= w.oldest_kept) d`,
  ([row]: RemovedDeliveries[]) => {
    assert(row, 'a webhook that is removed is there');
    return row;
  },
);

export async function readWebhook(connection: Connection, clientId: number): Promise<Webhook | undefined> {
  const { rows } = await connection.query<Webhook>({
    text: `SELECT w.url, w.set_at, w.off_at, w.off_reason, w.failing_since, w.attempted_through,
             w.last_sequence, w.oldest_kept, w.waiting,
             (SELECT count(*) FROM webhook_deliveries d
              WHERE d.client_id = $1 AND d.state = 'failed' AND d.sequence >= w.oldest_kept) AS failed
           FROM (${withWaitingOfOne}) w`,
    values: [clientId],
  });
  return rows[0];
}

export interface Backlog {
  waiting: number;
  oldest_s: number;
}

const selectWithWaiting = named(
  'partners_with_waiting_deliveries',
  `SELECT coalesce(array_agg(DISTINCT client_id), '{}') AS client_ids FROM webhook_deliveries WHERE state = 'waiting'`,
  ([row]: { client_ids: number[] }[]) => row?.client_ids ?? [],
);

const selectBacklog = named<Backlog>(
  'webhook_backlog',
  `SELECT coalesce(sum(k.waiting), 0)::bigint AS waiting,
     coalesce(max(extract(epoch FROM world_now() - k.written_at)), 0)::float8 AS oldest_s
   FROM (
     SELECT w.waiting, (
         SELECT ${writtenAt} FROM event_batches b
         WHERE b.client_id = w.client_id AND b.first_sequence <= w.first_waiting AND w.first_waiting <= w.last_sequence
         ORDER BY b.first_sequence DESC LIMIT 1) AS written_at
     FROM (${withWaiting('w.client_id', 'w.off_at IS NULL AND w.client_id = ANY ($1::int[])')}) w) k`,
);

/** The unreceived events of all active webhooks. */
export async function readBacklog(connection: Connection): Promise<Backlog> {
  // Partners with new events are active. Partners whose events wait for a retry may be inactive.
  const active = await ask(connection, findActiveIds());
  const waiting = await ask(connection, selectWithWaiting());
  const [backlog] = await ask(connection, selectBacklog([[...new Set([...active, ...waiting])]]));
  assert(backlog, 'an aggregate has one row');
  return backlog;
}
