import assert from 'node:assert/strict';
import { type Instant, timeText, type WorldInstant } from '../primitives/amounts.ts';
import type { SandboxClock } from '../primitives/sandbox-clock.ts';
import type { Access } from './access.ts';
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

const selected = '(extract(epoch FROM c.ahead) * 1000)::bigint AS ahead_ms, c.set_to';

const selectClock = (name: string, lock: '' | 'FOR SHARE' | 'FOR UPDATE') =>
  named(
    name,
    `SELECT ${selected} FROM sandbox_clocks c WHERE c.client_id = $1 ${lock}`,
    ([row]: ClockRow[]) =>
      (worldNow: WorldInstant) =>
        row && clockOfRow(row, worldNow),
  );

export type ClockUse = 'known' | 'moved';

const readClock = selectClock('see_sandbox_clock', '');
/** Every batch of a sandbox takes the shared lock, which excludes only a command that moves the clock. */
const locks = {
  known: selectClock('hold_sandbox_clock', 'FOR SHARE'),
  moved: selectClock('lock_sandbox_clock', 'FOR UPDATE'),
};

/**
 * Locks the clock, so that it can't move until the transaction ends. The batch reads world time after this statement
 * and passes it to the result, which returns the clock, or undefined for a partner that isn't a sandbox.
 */
export const findSandboxClock = (
  access: Access,
  clientId: number,
  use: ClockUse,
): Statement<(worldNow: WorldInstant) => SandboxClock | undefined> =>
  (access === 'read' ? readClock : locks[use])([clientId]);

export interface TimeAndHead {
  worldNow: WorldInstant;
  hasHead: boolean;
}

export interface TimeAndHeadRow {
  now: WorldInstant;
  heads: number;
}

/** One row for the partner $1. */
export const selectTimeAndHead = 'SELECT world_now() AS now, count(*) AS heads FROM event_heads WHERE client_id = $1';

export function timeAndHeadOf([row]: TimeAndHeadRow[]): TimeAndHead {
  assert(row, 'there is a time, whatever is counted');
  return { worldNow: row.now, hasHead: row.heads > 0 };
}

const selectTime = named('time_and_head', selectTimeAndHead, timeAndHeadOf);

/**
 * Reads the time that a batch decides by, and whether the partner has an event head. The clock of the database keeps
 * servers with different clocks in agreement. Send this statement after the ones that lock.
 */
export const findTimeAndHead = (clientId: number): Statement<TimeAndHead> => selectTime([clientId]);

const move = named(
  'move_sandbox_clock',
  `UPDATE sandbox_clocks SET ahead = $2 * interval '1 ms', set_to = $3, moved_at = world_now() WHERE client_id = $1`,
);

export const moveSandboxClock = (clientId: number, { aheadMs, setTo }: SandboxClock): Statement =>
  move([clientId, aheadMs, timeText(setTo)]);

const select = named(
  'read_sandbox_clock',
  `SELECT ${selected}, world_now() AS world_now FROM sandbox_clocks c WHERE c.client_id = $1`,
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

// Each partner has one event head: the row with the number of its latest event. Writing events moves it.

const addHead = named(
  'add_event_head',
  'INSERT INTO event_heads (client_id, last_sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

/** For a partner that may have no head yet. Inserts of several rows select from the head (`insertInto`). */
export const insertEventHead = (clientId: number): Statement => addHead([clientId]);

const writeNothing = named(
  'keep_partner_in_place',
  'UPDATE event_heads SET last_sequence = last_sequence WHERE client_id = $1 AND last_sequence < 0',
);

/**
 * Keeps the partner's rows on their node until the transaction ends. Send it before the first lock of a transaction
 * that reads and then writes. The cluster moves rows even if a SELECT has locked them; a second transaction could lock
 * the copies, and one of the two would overwrite the other. It does not move rows that a transaction has written to,
 * and an UPDATE of no rows counts.
 */
export const pinShard = (clientId: number): Statement => writeNothing([clientId]);

const moveHead = named(
  'move_event_head',
  'UPDATE event_heads SET last_sequence = last_sequence + $2::bigint WHERE client_id = $1 RETURNING client_id, last_sequence',
  ([row]: { last_sequence: number }[]) => {
    assert(row, 'the partner has a head');
    return row.last_sequence;
  },
);

/** Reserves the numbers of `events` new events and returns the last of them. */
export const moveEventHead = (clientId: number, events: number): Statement<number> => moveHead([clientId, events]);
