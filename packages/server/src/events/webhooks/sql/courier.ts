import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { atOnce, type WorkKind } from '../../../background/sql/work.ts';
import type { Connection } from '../../../engine/connection.ts';
import { forPartner, insertInto } from '../../../engine/rows.ts';
import { isAmong, named, pinPartners } from '../../../engine/statement.ts';
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

/** Active, and not leased by another server. */
const isFree = `w.off_at IS NULL
     AND (w.lease_holder IS NULL OR w.lease_holder = ANY ($1::uuid[]) OR w.leased_until <= statement_timestamp())`;

const hasNew = 'coalesce(h.last_sequence, 0) > w.attempted_through';
const isHeld = 'coalesce(w.lease_holder = ANY ($1::uuid[]), false)';
// Reads the first entry of the index of due deliveries per webhook. With EXISTS, the planner walked all waiting
// deliveries: 49 ms for 60,000.
const hasDue = `coalesce((SELECT d.next_attempt_at FROM webhook_deliveries d
    WHERE d.client_id = w.client_id AND ${isAmong('d', '$2')} AND d.state = 'waiting'
    ORDER BY d.next_attempt_at LIMIT 1) <= world_now(), false)`;
// Without a subquery with OFFSET, which a database on many machines would first send to a single one.
const selectWork = named(
  'webhook_work',
  `SELECT w.client_id, coalesce(h.last_sequence, 0) AS last_sequence, ${hasNew} AS has_new, ${hasDue} AS has_due, ${isHeld} AS is_held
   FROM webhooks w LEFT JOIN event_heads h USING (client_id)
   WHERE ${isAmong('w', '$2')} AND ${isFree} AND (${hasNew} OR ${isHeld} OR ${hasDue})`,
);

/**
 * Of the webhooks of these partners that no other server has leased: those with work, and those held by one of
 * `holders`.
 */
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

/** New events and due retries of active webhooks. */
export const deliveries: WorkKind = {
  name: 'deliveries',
  join: 'LEFT JOIN webhooks w ON w.client_id = h.client_id AND w.off_at IS NULL AND p.client_id IS NULL',
  dueAt: `CASE WHEN w.attempted_through < h.last_sequence THEN ${atOnce} ELSE (
    SELECT d.next_attempt_at FROM webhook_deliveries d
    WHERE d.client_id = h.client_id AND ${isAmong('d', '$1')} AND d.state = 'waiting' AND w.client_id IS NOT NULL
    ORDER BY d.next_attempt_at LIMIT 1) END`,
  lease: {
    endsAt: 'w.leased_until',
    // A stalled courier must find its lease gone, so that it records nothing for an inactive partner. Skips locked
    // webhooks: a change of a webhook locks the webhook's row first and may wait for the row of `due_partners`, which
    // is locked here.
    endOver: (clientIds) => endLeases([clientIds]),
  },
};

// Returns one row, because a thousand rows took 5 ms of processor time.
const selectFree = named(
  'free_webhooks',
  `SELECT coalesce(array_agg(w.client_id), '{}') AS client_ids FROM webhooks w
   WHERE w.client_id = ANY ($2::int[]) AND ${isFree}`,
);

/** Those of the given partners with an active webhook that no other server has leased. */
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

/** Undefined if the webhook is off or leased by another courier. */
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

/**
 * Called by staff, or by the courier that holds the lease. Returns false if there is no webhook, or another courier has
 * the lease.
 */
export async function turnWebhookOff(
  connection: Connection,
  clientId: number,
  reason: string,
  holder: string | null = null,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    // A database on many machines runs LEAST, which ignores nulls, but refuses COALESCE with the time.
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
  /** How often the event was resent by hand. */
  resent: number;
}

const selectDue = named(
  'due_deliveries',
  `SELECT sequence, attempts, resent FROM webhook_deliveries
   WHERE client_id = $1 AND state = 'waiting' AND next_attempt_at <= world_now() AND sequence <> ALL ($2::bigint[])
   ORDER BY next_attempt_at LIMIT $3`,
);

/** The deliveries that are due, the longest due first, except the known ones. */
export async function findDueDeliveries(connection: Connection, clientId: number, known: number[], limit: number) {
  const { rows } = await connection.query<DueDelivery>(selectDue([clientId, known, limit]));
  return rows;
}

export interface DeliveryResult {
  sequence: number;
  state: DeliveryState;
  attempts: number;
  /** How often the event had been resent by hand when this attempt began. */
  resent: number;
  /** The delay until the next attempt. */
  delayMs: number;
  outcome: string;
}

export interface Progress {
  attemptedFrom: number;
  attemptedThrough: number;
  /** All results except receipts at the first attempt. */
  results: DeliveryResult[];
  hasReceived: boolean;
  hasFailed: boolean;
}

interface HeldRow {
  attempted_through: number;
  failing_since: WorldInstant | null;
  last_sequence: number;
  /** The latest run of receipts; null if there is none. */
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

type TimedResult = DeliveryResult & { attemptedAt: WorldInstant; nextAttemptAt: WorldInstant };

const saveResults = insertInto<TimedResult>(
  'webhook_deliveries AS d',
  {
    attempted_at: { type: 'timestamptz', of: (result) => formatInstant(result.attemptedAt) },
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

/** Extends an adjacent run for up to a minute. Otherwise nearly every event would need a row. */
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
 * Records progress and renews the lease. Writes nothing and returns undefined if the lease is lost, or if the stored
 * progress is older than the courier's last write.
 *
 * One transaction, because an event counts as attempted only together with its result. The same result may be written
 * twice if the connection is lost before the response. A standby that took over may lack the last writes, or the
 * events, whose numbers it gives to others; then nothing is written either.
 */
export const recordProgress = (
  pool: Pool,
  clientId: number,
  holder: string,
  progress: Progress,
  leaseMs: number,
): Promise<Recorded | undefined> =>
  decideInTransaction(pool, pinPartners([clientId]), lockHeld([clientId, holder]), (held) => {
    const { attemptedFrom: from, attemptedThrough: through, results } = progress;
    const isNew = from <= through;
    if (held === undefined || held.attempted_through < from - 1 || (isNew && held.last_sequence < through)) {
      return { writes: [], result: undefined };
    }
    const { world_now } = held;
    const failing_since = failingSince(held, progress);
    const run = runOf(held, progress);
    const timed = results.map((result) => ({
      ...result,
      attemptedAt: world_now,
      nextAttemptAt: world_now + result.delayMs,
    }));
    const writes = [
      moveProgress([clientId, through, timeText(failing_since), leaseMs]),
      ...(isNew ? [saveRun([clientId, run.first, through, formatInstant(run.at)])] : []),
      ...(timed.length > 0 ? [saveResults(forPartner(clientId, timed))] : []),
    ];
    return { writes, result: { failing_since, world_now } };
  });
