import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { atOnce, type WorkKind } from '../../../background/sql/work.ts';
import { keepInPlace } from '../../../engine/clock.ts';
import type { Connection } from '../../../engine/connection.ts';
import { insertInto, isAmong, named } from '../../../engine/statement.ts';
import { decideInTransaction } from '../../../engine/transaction.ts';
import { formatInstant, timeText, type WorldInstant } from '../../../primitives/amounts.ts';
import type { DeliveryState } from './deliveries.ts';

// What couriers read and write: webhooks with work, their leases, due deliveries, and progress.

export interface WorkFound {
  client_id: number;
  last_sequence: number;
  has_new: boolean;
  has_due: boolean;
  is_held: boolean;
}

/** On, and no other server's. */
const isFree = `w.off_at IS NULL
     AND (w.lease_holder IS NULL OR w.lease_holder = ANY ($1::uuid[]) OR w.leased_until <= statement_timestamp())`;

const hasNew = 'coalesce(h.last_sequence, 0) > w.attempted_through';
const isHeld = 'coalesce(w.lease_holder = ANY ($1::uuid[]), false)';
// One look at the front of the index of what is due, for each webhook, and another where something is. Asked whether any is due, the planner
// walked all that wait: 49 ms for 60,000.
const hasDue = `coalesce((SELECT d.next_attempt_at FROM webhook_deliveries d
    WHERE d.client_id = w.client_id AND ${isAmong('d', '$2')} AND d.state = 'waiting'
    ORDER BY d.next_attempt_at LIMIT 1) <= world_now(), false)`;
// Not by selecting from a subquery with an OFFSET, which many machines would first send to one of them.
const selectWork = named(
  'webhook_work',
  `SELECT w.client_id, coalesce(h.last_sequence, 0) AS last_sequence, ${hasNew} AS has_new, ${hasDue} AS has_due, ${isHeld} AS is_held
   FROM webhooks w LEFT JOIN event_heads h USING (client_id)
   WHERE ${isAmong('w', '$2')} AND ${isFree} AND (${hasNew} OR ${isHeld} OR ${hasDue})`,
);

/** Of the webhooks of these partners that no other server is delivering to: those with something to do, and those held by one of these. */
export async function findWebhookWork(
  connection: Connection,
  holders: string[],
  clientIds: number[],
): Promise<WorkFound[]> {
  if (clientIds.length === 0) return [];
  const { rows } = await connection.query<WorkFound>(selectWork([holders, clientIds]));
  return rows;
}

const endLeases = named(
  'end_webhook_leases',
  `UPDATE webhooks SET lease_holder = NULL, leased_until = NULL WHERE client_id = ANY (ARRAY(
     SELECT client_id FROM webhooks WHERE client_id = ANY ($1::int[]) AND leased_until <= statement_timestamp()
     FOR UPDATE SKIP LOCKED))`,
);

/** New events, and deliveries to be tried again, of webhooks that are on. */
export const deliveries: WorkKind = {
  name: 'deliveries',
  join: 'LEFT JOIN webhooks w ON w.client_id = h.client_id AND w.off_at IS NULL AND p.client_id IS NULL',
  dueAt: `CASE WHEN w.attempted_through < h.last_sequence THEN ${atOnce} ELSE (
    SELECT d.next_attempt_at FROM webhook_deliveries d
    WHERE d.client_id = h.client_id AND ${isAmong('d', '$1')} AND d.state = 'waiting' AND w.client_id IS NOT NULL
    ORDER BY d.next_attempt_at LIMIT 1) END`,
  lease: {
    endsAt: 'w.leased_until',
    // A stalled courier finds its lease gone and records nothing for an inactive partner. A change of the webhook locks its row first
    // and may wait for the row of `due_partners`, which is locked here: so locked webhooks are skipped.
    endOver: (clientIds) => endLeases([clientIds]),
  },
};

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
  `UPDATE webhooks SET lease_holder = $2, leased_until = statement_timestamp() + $3 * interval '1 ms'
   WHERE client_id = $1 AND off_at IS NULL
     AND (lease_holder IS NULL OR leased_until <= statement_timestamp())
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

/** By hand, or by the courier that holds its lease. False when there is none, or the lease is another's. */
export async function turnWebhookOff(
  connection: Connection,
  clientId: number,
  reason: string,
  holder: string | null = null,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    // LEAST leaves out what is null, and is carried out where COALESCE with the time is not.
    text: `UPDATE webhooks SET off_at = least(off_at, world_now()), off_reason = coalesce(off_reason, $2),
             lease_holder = NULL, leased_until = NULL
           WHERE client_id = $1 AND ($3::uuid IS NULL OR lease_holder = $3)`,
    values: [clientId, reason, holder],
  });
  return rowCount === 1;
}

export interface DueDelivery {
  sequence: number;
  attempts: number;
  /** How often it was sent again by hand. */
  resent: number;
}

const selectDue = named(
  'due_deliveries',
  `SELECT sequence, attempts, resent FROM webhook_deliveries
   WHERE client_id = $1 AND state = 'waiting' AND next_attempt_at <= world_now() AND sequence <> ALL ($2::bigint[])
   ORDER BY next_attempt_at LIMIT $3`,
);

/** Those that are due, the longest first, but for the known ones. */
export async function findDueDeliveries(connection: Connection, clientId: number, known: number[], limit: number) {
  const { rows } = await connection.query<DueDelivery>(selectDue([clientId, known, limit]));
  return rows;
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

interface HeldRow {
  attempted_through: number;
  failing_since: WorldInstant | null;
  last_sequence: number;
  /** The latest run of receipts; null where there is none. */
  run_first: number | null;
  run_last: number;
  run_at: WorldInstant;
  world_now: WorldInstant;
}

const lockHeld = named(
  'lock_held_webhook',
  `SELECT w.attempted_through, w.failing_since, coalesce(h.last_sequence, 0) AS last_sequence, r.first_sequence AS run_first,
     r.last_sequence AS run_last, r.received_at AS run_at, world_now() AS world_now
   FROM webhooks w LEFT JOIN event_heads h ON h.client_id = $1 LEFT JOIN LATERAL (
     SELECT * FROM webhook_receipts r WHERE r.client_id = $1 ORDER BY r.first_sequence DESC LIMIT 1) r ON true
   WHERE w.client_id = $1 AND w.lease_holder = $2 FOR UPDATE OF w`,
  ([row]: HeldRow[]) => row,
);

const moveProgress = named(
  'move_webhook_progress',
  `UPDATE webhooks SET attempted_through = greatest(attempted_through, $2), failing_since = $3,
     leased_until = statement_timestamp() + $4 * interval '1 ms'
   WHERE client_id = $1`,
);

const saveRun = named(
  'save_webhook_receipts',
  `INSERT INTO webhook_receipts (client_id, first_sequence, last_sequence, received_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (client_id, first_sequence) DO UPDATE SET last_sequence = EXCLUDED.last_sequence`,
);

type TimedResult = DeliveryResult & { nextAttemptAt: WorldInstant };

const saveResults = insertInto<TimedResult>(
  'webhook_deliveries AS d',
  { client_id: 'int', attempted_at: 'timestamptz' },
  {
    sequence: { type: 'bigint', of: (result) => result.sequence },
    state: { type: 'text', of: (result) => result.state },
    attempts: { type: 'int', of: (result) => result.attempts },
    next_attempt_at: { type: 'timestamptz', of: (result) => formatInstant(result.nextAttemptAt) },
    outcome: { type: 'text', of: (result) => result.outcome },
    resent: { type: 'int', of: (result) => result.resent },
  },
  {
    name: 'save_webhook_deliveries',
    onConflict: `ON CONFLICT (client_id, sequence) DO UPDATE SET state = EXCLUDED.state, attempts = EXCLUDED.attempts,
       attempted_at = EXCLUDED.attempted_at, next_attempt_at = EXCLUDED.next_attempt_at, outcome = EXCLUDED.outcome
     WHERE d.resent = EXCLUDED.resent`,
  },
);

const runLengthMs = 60_000;

/** A run that adjoins is lengthened for a minute, or there would be a row for nearly every event. */
function runOf(held: HeldRow, { attemptedFrom: from, attemptedThrough: through }: Progress) {
  const { run_first, run_last, run_at, world_now } = held;
  const adjoins = run_first !== null && run_last >= from - 1 && run_last <= through;
  const isLengthened = adjoins && (run_last >= from || run_at > world_now - runLengthMs);
  return isLengthened ? { first: run_first, at: run_at } : { first: from, at: world_now };
}

function failingSince(held: HeldRow, { hasReceived, hasFailed }: Progress): WorldInstant | null {
  if (hasReceived) return null;
  return hasFailed ? (held.failing_since ?? held.world_now) : held.failing_since;
}

export interface Recorded {
  failing_since: WorldInstant | null;
  world_now: WorldInstant;
}

/**
 * Renews the lease too. Undefined when it is not held any more, or what stands there is older; nothing was written then.
 *
 * All of it or nothing: an event counts as attempted only together with what became of it. It may be written twice, when the
 * connection is lost before the answer. Nothing either on a standby that took over without the last of what was written before, or
 * without the events: their numbers go to others.
 */
export const recordProgress = (
  pool: Pool,
  clientId: number,
  holder: string,
  progress: Progress,
  leaseMs: number,
): Promise<Recorded | undefined> =>
  decideInTransaction(pool, keepInPlace(clientId), lockHeld([clientId, holder]), (held) => {
    const { attemptedFrom: from, attemptedThrough: through, results } = progress;
    const isNew = from <= through;
    if (held === undefined || held.attempted_through < from - 1 || (isNew && held.last_sequence < through)) {
      return { writes: [], result: undefined };
    }
    const { world_now } = held;
    const failing_since = failingSince(held, progress);
    const run = runOf(held, progress);
    const timed = results.map((result) => ({ ...result, nextAttemptAt: world_now + result.delayMs }));
    const writes = [
      moveProgress([clientId, through, timeText(failing_since), leaseMs]),
      ...(isNew ? [saveRun([clientId, run.first, through, formatInstant(run.at)])] : []),
      ...(timed.length > 0 ? [saveResults([clientId, formatInstant(world_now)], timed)] : []),
    ];
    return { writes, result: { failing_since, world_now } };
  });
