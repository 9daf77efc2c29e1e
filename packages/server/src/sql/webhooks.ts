import assert from 'node:assert/strict';
import type { Connection } from '../db/connection.ts';
import { named } from '../db/statement.ts';
import type { WorldInstant } from '../domain/amounts.ts';
import type { DeliveryState } from './deliveries.ts';
import { awakeIds } from './due.ts';
import { writtenAt } from './events.ts';

// Where partners want their events sent. One courier at a time delivers to a webhook: it holds the lease, and whatever it
// writes down is written only while it does.

export interface Webhook {
  url: string;
  set_at: WorldInstant;
  off_at: WorldInstant | null;
  off_reason: string | null;
  failing_since: WorldInstant | null;
  /** What came later has not been tried yet. */
  attempted_through: number;
  /** Of the partner's latest event; 0 before the first. */
  last_sequence: number;
  /** The oldest event that is kept; the next one to come when none is. */
  oldest_kept: number;
  /** Events that it has not received, those that are to be tried again among them. */
  waiting: number;
  /** Deliveries that failed for good. */
  failed: number;
}

/** Until the transaction ends, its courier writes nothing down. */
export async function lockWebhook(connection: Connection, clientId: number): Promise<void> {
  await connection.query({ text: 'SELECT FROM webhooks WHERE client_id = $1 FOR UPDATE', values: [clientId] });
}

/** Within a minute, as receipts are written down. Null before the first. */
export async function readLastAttempt(connection: Connection, clientId: number): Promise<WorldInstant | null> {
  const { rows } = await connection.query<{ at: WorldInstant | null }>({
    text: `SELECT greatest(
             (SELECT max(attempted_at) FROM webhook_deliveries WHERE client_id = $1),
             (SELECT received_at FROM webhook_receipts WHERE client_id = $1 ORDER BY first_sequence DESC LIMIT 1)) AS at`,
    values: [clientId],
  });
  return rows[0]?.at ?? null;
}

/**
 * From the event `from` on; when that is null, from where it had stopped, and a new one from the next event. In a
 * transaction: what is known of deliveries must not change between its statements.
 */
export async function saveWebhook(connection: Connection, clientId: number, url: string, from: number | null) {
  // The event before `from`; of those that are not kept any more there is nothing to send.
  const before = `CASE WHEN $3::bigint IS NOT NULL THEN
      greatest($3, (SELECT min(first_sequence) FROM event_batches WHERE client_id = $1),
        (SELECT last_sequence + 1 FROM event_heads h WHERE client_id = $1
           AND NOT EXISTS (SELECT FROM event_batches b WHERE b.client_id = $1))) - 1 END`;
  // First of all, because a courier that is writing down what it has done must have ended or lost its lease.
  await connection.query({
    text: `INSERT INTO webhooks AS w (client_id, url, attempted_through)
           VALUES ($1, $2, coalesce(${before}, (SELECT last_sequence FROM event_heads WHERE client_id = $1), 0))
           ON CONFLICT (client_id) DO UPDATE SET url = EXCLUDED.url, set_at = EXCLUDED.set_at, off_at = NULL,
             off_reason = NULL, failing_since = NULL, lease_holder = NULL, leased_until = NULL,
             attempted_through = coalesce(${before}, w.attempted_through)`,
    values: [clientId, url, from],
  });
  if (from !== null) await forgetDeliveriesFrom(connection, clientId, from);
  await connection.query({
    text: `UPDATE webhook_deliveries SET next_attempt_at = service_now() WHERE client_id = $1 AND state = 'waiting'`,
    values: [clientId],
  });
}

/** What is sent once more is new again: what became of it before would stand in the way of what becomes of it now. */
async function forgetDeliveriesFrom(connection: Connection, clientId: number, from: number): Promise<void> {
  const statements = [
    'DELETE FROM webhook_deliveries WHERE client_id = $1 AND sequence >= $2',
    'DELETE FROM webhook_receipts WHERE client_id = $1 AND first_sequence >= $2',
    `UPDATE webhook_receipts SET last_sequence = $2::bigint - 1 WHERE client_id = $1 AND last_sequence >= $2
       AND first_sequence = (SELECT max(first_sequence) FROM webhook_receipts WHERE client_id = $1 AND first_sequence < $2)`,
  ];
  for (const text of statements) await connection.query({ text, values: [clientId, from] });
}

/** By hand, or by the courier that holds its lease. False when there is none, or the lease is another's. */
export async function turnWebhookOff(
  connection: Connection,
  clientId: number,
  reason: string,
  holder: string | null = null,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    text: `UPDATE webhooks SET off_at = coalesce(off_at, service_now()), off_reason = coalesce(off_reason, $2),
             lease_holder = NULL, leased_until = NULL
           WHERE client_id = $1 AND ($3::uuid IS NULL OR lease_holder = $3)`,
    values: [clientId, reason, holder],
  });
  return rowCount === 1;
}

export interface RemovedDeliveries {
  /** Events that it had still to receive, those not tried yet among them. */
  waiting: number;
  received: number;
  failed: number;
}

/**
 * The webhook, and what is known of its deliveries: how many events were in which state. In a transaction. The row goes
 * first, because a courier that is writing down what it has done must have ended, and one that comes later finds no lease.
 */
export async function removeWebhook(connection: Connection, clientId: number): Promise<RemovedDeliveries> {
  const { rows: webhooks } = await connection.query<{ untried: number }>({
    text: `DELETE FROM webhooks w WHERE client_id = $1
           RETURNING coalesce((SELECT h.last_sequence + 1 - greatest(w.attempted_through + 1,
             coalesce((SELECT min(first_sequence) FROM event_batches b WHERE b.client_id = $1), h.last_sequence + 1))
             FROM event_heads h WHERE h.client_id = $1), 0) AS untried`,
    values: [clientId],
  });
  // An event has a row of its own, or is in a run of receipts; where both name it, the row counts.
  const { rows } = await connection.query<RemovedDeliveries>({
    text: `WITH deliveries AS (DELETE FROM webhook_deliveries WHERE client_id = $1 RETURNING sequence, state),
             receipts AS (DELETE FROM webhook_receipts WHERE client_id = $1 RETURNING first_sequence, last_sequence)
           SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'failed') AS failed,
             count(*) FILTER (WHERE state = 'received') - count(*) FILTER (WHERE is_in_run)
               + (SELECT coalesce(sum(last_sequence - first_sequence + 1), 0) FROM receipts)::bigint AS received
           FROM deliveries d CROSS JOIN LATERAL (
             SELECT coalesce((SELECT r.last_sequence >= d.sequence FROM webhook_receipts r
               WHERE r.client_id = $1 AND r.first_sequence <= d.sequence
               ORDER BY r.first_sequence DESC LIMIT 1), false) AS is_in_run) r`,
    values: [clientId],
  });
  const [webhook] = webhooks;
  const [known] = rows;
  assert(webhook, 'a webhook that is removed is there');
  assert(known, 'an aggregate has one row');
  return { ...known, waiting: known.waiting + webhook.untried };
}

export async function readWebhook(connection: Connection, clientId: number): Promise<Webhook | undefined> {
  const { rows } = await connection.query<Webhook>({
    text: `SELECT w.url, w.set_at, w.off_at, w.off_reason, w.failing_since, w.attempted_through,
             e.last_sequence, e.oldest_kept,
             e.last_sequence + 1 - greatest(w.attempted_through + 1, e.oldest_kept)
               + (SELECT count(*) FROM webhook_deliveries d WHERE d.client_id = $1 AND d.state = 'waiting') AS waiting,
             (SELECT count(*) FROM webhook_deliveries d WHERE d.client_id = $1 AND d.state = 'failed') AS failed
           FROM webhooks w LEFT JOIN event_heads h USING (client_id)
           CROSS JOIN LATERAL (
             SELECT coalesce(h.last_sequence, 0) AS last_sequence,
               coalesce(min(first_sequence), h.last_sequence + 1, 1) AS oldest_kept
             FROM event_batches b WHERE b.client_id = $1) e
           WHERE client_id = $1`,
    values: [clientId],
  });
  return rows[0];
}

export interface WorkFound {
  client_id: number;
  last_sequence: number;
  has_new: boolean;
  has_due: boolean;
  is_held: boolean;
}

/** On, and no other server's. */
const isFree = `w.off_at IS NULL
     AND (w.lease_holder IS NULL OR w.lease_holder = ANY ($1::uuid[]) OR w.leased_until <= clock_timestamp())`;

// One look at the front of the index of what is due, for each webhook. Asked whether any is due, the planner walked all
// that wait: 49 ms for 60,000.
const selectWork = named(
  'webhook_work',
  `SELECT * FROM (
     SELECT w.client_id, coalesce(h.last_sequence, 0) AS last_sequence,
       coalesce(h.last_sequence, 0) > w.attempted_through AS has_new,
       coalesce((SELECT d.next_attempt_at FROM webhook_deliveries d WHERE d.client_id = w.client_id AND d.state = 'waiting'
                 ORDER BY d.next_attempt_at LIMIT 1) <= (SELECT service_now()), false) AS has_due,
       coalesce(w.lease_holder = ANY ($1::uuid[]), false) AS is_held
     FROM webhooks w LEFT JOIN event_heads h USING (client_id)
     WHERE w.client_id = ANY ($2::int[]) AND ${isFree}
     OFFSET 0) w
   WHERE has_new OR has_due OR is_held`,
);

/** Of the webhooks of these partners that no other server is delivering to: those with something to do, and those held by one of these. */
export async function findWebhookWork(
  connection: Connection,
  holders: string[],
  clientIds: number[],
): Promise<WorkFound[]> {
  const { rows } = await connection.query<WorkFound>(selectWork([holders, clientIds]));
  return rows;
}

// As one row: a thousand took 5 ms of processor time.
const selectFree = named(
  'free_webhooks',
  `SELECT coalesce(array_agg(w.client_id), '{}') AS client_ids FROM webhooks w
   WHERE w.client_id = ANY ($2::int[]) AND ${isFree}`,
);

/** Those of these partners whose webhooks are on, and that no other server is delivering to. */
export async function findFreeWebhooks(
  connection: Connection,
  holders: string[],
  clientIds: number[],
): Promise<Set<number>> {
  const { rows } = await connection.query<{ client_ids: number[] }>(selectFree([holders, clientIds]));
  const [free] = rows;
  assert(free, 'an aggregate has one row');
  return new Set(free.client_ids);
}

const takeLease = named(
  'take_webhook_lease',
  `UPDATE webhooks SET lease_holder = $2, leased_until = clock_timestamp() + $3 * interval '1 ms'
   WHERE client_id = $1 AND off_at IS NULL
     AND (lease_holder IS NULL OR leased_until <= clock_timestamp())
   RETURNING url, attempted_through`,
);

export interface Leased {
  url: string;
  attempted_through: number;
}

/** Undefined when it is off, or another has it. */
export async function leaseWebhook(connection: Connection, clientId: number, holder: string, leaseMs: number) {
  const { rows } = await connection.query<Leased>(takeLease([clientId, holder, leaseMs]));
  return rows[0];
}

const giveBackLease = named(
  'give_back_webhook_lease',
  'UPDATE webhooks SET lease_holder = NULL, leased_until = NULL WHERE client_id = $1 AND lease_holder = $2',
);

export function giveBackWebhook(connection: Connection, clientId: number, holder: string): Promise<unknown> {
  return connection.query(giveBackLease([clientId, holder]));
}

export interface DeliveryResult {
  sequence: number;
  state: DeliveryState;
  attempts: number;
  /** How often it had been sent again by hand, when this attempt was begun. */
  resent: number;
  /** Until the next attempt. */
  delayMs: number;
  outcome: string;
}

export interface Progress {
  attemptedFrom: number;
  attemptedThrough: number;
  /** What was not simply received at the first attempt. */
  results: DeliveryResult[];
  hasReceived: boolean;
  hasFailed: boolean;
}

// All of it or nothing, and nothing once the lease is another's: an event counts as attempted only together with what
// became of it. It may be written twice, when the connection is lost before the answer. Nothing either on a standby that
// took over without the last of what was written before, or without the events: their numbers go to others. A run of
// receipts that adjoins is lengthened for a minute, or there would be a row for nearly every event.
const record = named(
  'record_webhook_progress',
  `WITH held AS (
     UPDATE webhooks SET attempted_through = greatest(attempted_through, $4),
       leased_until = clock_timestamp() + $13 * interval '1 ms',
       failing_since = CASE WHEN $11 THEN NULL WHEN $12 THEN coalesce(failing_since, service_now()) ELSE failing_since END
     WHERE client_id = $1 AND lease_holder = $2 AND attempted_through >= $3::bigint - 1
       AND ($4 < $3 OR $4 <= (SELECT last_sequence FROM event_heads WHERE client_id = $1))
     RETURNING failing_since),
   lengthened AS (
     UPDATE webhook_receipts r SET last_sequence = $4 FROM held
     WHERE r.client_id = $1 AND $3 <= $4 AND r.last_sequence BETWEEN $3 - 1 AND $4
       AND r.first_sequence = (SELECT max(first_sequence) FROM webhook_receipts WHERE client_id = $1)
       AND (r.last_sequence >= $3 OR r.received_at > service_now() - interval '1 minute')
     RETURNING 1),
   receipts AS (
     INSERT INTO webhook_receipts (client_id, first_sequence, last_sequence, received_at)
     SELECT $1, $3, $4, service_now() FROM held WHERE $3 <= $4 AND NOT EXISTS (SELECT FROM lengthened)
     ON CONFLICT (client_id, first_sequence) DO UPDATE SET last_sequence = EXCLUDED.last_sequence),
   deliveries AS (
     INSERT INTO webhook_deliveries AS d
       (client_id, sequence, state, attempts, attempted_at, next_attempt_at, outcome, resent)
     SELECT $1, r.sequence, r.state, r.attempts, service_now(), service_now() + r.delay_ms * interval '1 ms', r.outcome,
       r.resent
     FROM held, unnest($5::bigint[], $6::text[], $7::int[], $8::float8[], $9::text[], $10::int[])
       AS r(sequence, state, attempts, delay_ms, outcome, resent)
     ON CONFLICT (client_id, sequence) DO UPDATE SET state = EXCLUDED.state, attempts = EXCLUDED.attempts,
       attempted_at = EXCLUDED.attempted_at, next_attempt_at = EXCLUDED.next_attempt_at, outcome = EXCLUDED.outcome
     WHERE d.resent = EXCLUDED.resent)
   SELECT failing_since, service_now() AS world_now FROM held`,
);

export interface Recorded {
  failing_since: WorldInstant | null;
  world_now: WorldInstant;
}

/** Renews the lease too. Undefined when it is not held any more, or what stands there is older; nothing was written then. */
export async function recordProgress(
  connection: Connection,
  clientId: number,
  holder: string,
  progress: Progress,
  leaseMs: number,
): Promise<Recorded | undefined> {
  const { results } = progress;
  const { rows } = await connection.query<Recorded>(
    record([
      clientId,
      holder,
      progress.attemptedFrom,
      progress.attemptedThrough,
      results.map((result) => result.sequence),
      results.map((result) => result.state),
      results.map((result) => result.attempts),
      results.map((result) => result.delayMs),
      results.map((result) => result.outcome),
      results.map((result) => result.resent),
      progress.hasReceived,
      progress.hasFailed,
      leaseMs,
    ]),
  );
  return rows[0];
}

export interface Backlog {
  waiting: number;
  oldest_s: number;
}

// Who has something new is awake; whoever waits for another attempt may sleep, and is found partner by partner along the index.
const selectBacklog = named(
  'webhook_backlog',
  `WITH RECURSIVE with_waiting AS (
     (SELECT client_id FROM webhook_deliveries WHERE state = 'waiting' ORDER BY client_id LIMIT 1)
     UNION ALL
     SELECT (SELECT d.client_id FROM webhook_deliveries d WHERE d.state = 'waiting' AND d.client_id > p.client_id
             ORDER BY d.client_id LIMIT 1)
     FROM with_waiting p WHERE p.client_id IS NOT NULL)
   SELECT coalesce(sum(coalesce(h.last_sequence, 0) - w.attempted_through + d.waiting), 0)::bigint AS waiting,
     coalesce(max(extract(epoch FROM service_now() - b.written_at)), 0)::float8 AS oldest_s
   FROM webhooks w
   LEFT JOIN event_heads h USING (client_id)
   CROSS JOIN LATERAL (
     SELECT count(*) AS waiting, min(sequence) AS oldest FROM webhook_deliveries d
     WHERE d.client_id = w.client_id AND d.state = 'waiting') d
   LEFT JOIN LATERAL (
     SELECT ${writtenAt} AS written_at FROM event_batches b
     WHERE b.client_id = w.client_id AND b.first_sequence <= coalesce(d.oldest, w.attempted_through + 1)
       AND coalesce(d.oldest, w.attempted_through + 1) <= h.last_sequence
     ORDER BY b.first_sequence DESC LIMIT 1) b ON true
   WHERE w.off_at IS NULL AND w.client_id = ANY (ARRAY(${awakeIds} UNION SELECT client_id FROM with_waiting))`,
);

/** What all webhooks that are on have still to receive. */
export async function readBacklog(connection: Connection): Promise<Backlog> {
  const { rows } = await connection.query<Backlog>(selectBacklog([]));
  const [backlog] = rows;
  assert(backlog, 'an aggregate has one row');
  return backlog;
}
