import type { Pool } from 'pg';
import { insertInto } from '../../../engine/columns.ts';
import { keepInPlace } from '../../../engine/event-heads.ts';
import { named } from '../../../engine/statement.ts';
import { decideInTransaction } from '../../../engine/transaction.ts';
import { formatInstant, timeText, type WorldInstant } from '../../../primitives/amounts.ts';
import type { DeliveryState } from './deliveries.ts';

// What a courier writes down, while it holds the lease of its webhook.

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
