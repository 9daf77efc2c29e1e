import assert from 'node:assert/strict';
import { type Instant, timeText, type WorldInstant } from '../primitives/amounts.ts';
import type { SandboxClock } from '../primitives/sandbox-clock.ts';
import { lookUp, partnersAsKeys, updateOf } from './rows.ts';
import { named, type Statement } from './statement.ts';

// There are two kinds of time. World time is world_now(): leases, retries, retention and secrets use it. Business time
// decides everything that a partner can see: it is world time plus the offset of the partner's sandbox clock. SQL
// computes it only here, and TypeScript only in `businessNowOf`. A partner that isn't a sandbox has no clock row, so
// its time costs one index lookup.

const aheadOf = (client: string) =>
  `coalesce((SELECT c.ahead FROM sandbox_clocks c WHERE c.client_id = ${client}), interval '0')`;

/**
 * The business time of the partner in this parameter, such as $1. In a subquery it is read once, elsewhere for every
 * row.
 */
export const partnerNow = (client: string): string => `(world_now() + ${aheadOf(client)})`;

/** The business time of each row's partner. Requires the join of `aheadOfMany`. */
export const partnerNowOfMany = `(world_now() + coalesce(c.ahead, interval '0'))`;

/** Converts business time of each row's partner to world time. Requires the join of `aheadOfMany`. */
export const worldTimeOfMany = (instant: string): string => `(${instant} - coalesce(c.ahead, interval '0'))`;

/**
 * Joins the clocks; partners that aren't sandboxes get NULL. A correlated subquery could not be distributed to nodes.
 */
export const aheadOfMany = (client: string): string => `LEFT JOIN sandbox_clocks c ON c.client_id = ${client}`;

/** The business time of the sandbox `c` when its clock was last moved; null if it never was. */
export const businessTimeWhenMoved = '(c.moved_at + c.ahead)';

const readNow = named('world_now', 'SELECT world_now() AS now', ([row]: { now: WorldInstant }[]) => {
  assert(row, 'a SELECT without FROM has one row');
  return row.now;
});

export const readWorldNow = (): Statement<WorldInstant> => readNow();

interface ClockRow {
  ahead_ms: number;
  set_to: Instant | null;
}

const clockOfRow = (row: ClockRow, worldNow: WorldInstant): SandboxClock => ({
  worldNow,
  aheadMs: row.ahead_ms,
  setTo: row.set_to,
});

const selected = '(extract(epoch FROM t.ahead) * 1000)::bigint AS ahead_ms, t.set_to';

const selectClocks = lookUp<number, ClockRow & { client_id: number }>('sandbox_clocks', 'sandbox_clocks', {}, selected);

/** The clocks of these partners; only sandboxes have one. */
export const findSandboxClocks = (
  clientIds: readonly number[],
): Statement<Map<number, (at: WorldInstant) => SandboxClock>> => {
  const statement = selectClocks(partnersAsKeys(clientIds));
  const read: Statement<Map<number, (at: WorldInstant) => SandboxClock>>['read'] = (result) =>
    new Map(statement.read(result).map((row) => [row.client_id, (at) => clockOfRow(row, at)]));
  return { ...statement, read };
};

const move = named(
  'move_sandbox_clock',
  `UPDATE sandbox_clocks SET ahead = $2 * interval '1 ms', set_to = $3, moved_at = world_now() WHERE client_id = $1`,
);

export const moveSandboxClock = (clientId: number, { aheadMs, setTo }: SandboxClock): Statement =>
  move([clientId, aheadMs, timeText(setTo)]);

const select = named(
  'read_sandbox_clock',
  `SELECT ${selected}, world_now() AS world_now FROM sandbox_clocks t WHERE t.client_id = $1`,
  ([row]: (ClockRow & { world_now: WorldInstant })[]) => row && clockOfRow(row, row.world_now),
);

/** Undefined for a partner that isn't a sandbox. */
export const readSandboxClock = (clientId: number): Statement<SandboxClock | undefined> => select([clientId]);

const insert = named('insert_sandbox_clock', `INSERT INTO sandbox_clocks (client_id, ahead) VALUES ($1, interval '0')`);

/** The new clock shows world time until it is set. */
export const insertSandboxClock = (clientId: number): Statement => insert([clientId]);

const show = named(
  'show_on_sandbox_clock',
  `UPDATE sandbox_clocks SET ahead = ($2 - extract(epoch FROM world_now()) * 1000) * interval '1 ms' WHERE client_id = $1`,
);

/**
 * Sets the clock to any time, even before world time. Only the transaction that creates the sandbox may do this, and it
 * must not commit a clock that is behind world time.
 */
export const setNewClock = (clientId: number, time: Instant): Statement => show([clientId, time]);

// Each partner has one event head: the row with the number of its latest event. A batch locks the heads of its partners
// before it reads anything else. The head guards everything that batches change for the partner, so what a batch reads
// after that stays as it is until the batch commits.

const addHead = named(
  'add_event_head',
  'INSERT INTO event_heads (client_id, last_sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

/** For a partner that may have no head yet. */
export const insertEventHead = (clientId: number): Statement => addHead([clientId]);

export interface EventHead {
  client_id: number;
  last_sequence: number;
}

const lookUpHeads = (name: string, locking: string) =>
  lookUp<number, EventHead>(name, 'event_heads', {}, 't.last_sequence', locking);
const lockHeads = {
  wait: lookUpHeads('lock_event_heads', 'FOR UPDATE'),
  skip: lookUpHeads('lock_free_event_heads', 'FOR UPDATE SKIP LOCKED'),
};

/** Locks the heads of these partners, which are sorted by id. `skip` leaves out heads that are already locked. */
export const lockEventHeads = (clientIds: readonly number[], ifLocked: 'wait' | 'skip'): Statement<EventHead[]> => ({
  ...lockHeads[ifLocked](partnersAsKeys(clientIds)),
  locks: clientIds,
});

const selectHeads = lookUpHeads('event_heads', '');

/** The heads of these partners, whether or not another transaction has locked them. */
export const findEventHeads = (clientIds: readonly number[]): Statement<EventHead[]> =>
  selectHeads(partnersAsKeys(clientIds));

const moveHeads = updateOf<number>(
  'event_heads',
  {},
  { last_sequence: { type: 'bigint', of: (sequence) => sequence } },
);

/** Stores the number of each partner's latest event. The heads must be locked. */
export const moveEventHeads = (sequences: ReadonlyMap<number, number>): Statement =>
  moveHeads(new Map([...sequences].map(([clientId, sequence]) => [clientId, [sequence]])));
