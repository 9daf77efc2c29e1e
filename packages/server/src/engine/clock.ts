import assert from 'node:assert/strict';
import { type Instant, timeText, type WorldInstant } from '../primitives/amounts.ts';
import type { SandboxClock } from '../primitives/sandbox-clock.ts';
import type { Access } from './access.ts';
import { named, type Statement } from './statement.ts';

// Two kinds of time. World time is world_now(): leases, retries, retention and secrets go by it. Business time is what a
// partner's things are decided by: the world's, and for a sandbox as much later as its clock is ahead. It is made here, and
// in the program by `businessNowOf`, and nowhere else. Partners that are no sandbox have no row: what reads their time pays for one look at an index.

const aheadOf = (client: string) =>
  `coalesce((SELECT c.ahead FROM sandbox_clocks c WHERE c.client_id = ${client}), interval '0')`;

/** The business time of the partner in this parameter, such as $1. Read one time in a subquery, or for every row. */
export const partnerNow = (client: string): string => `(world_now() + ${aheadOf(client)})`;

/** The same of each row of many partners, for whose clocks `aheadOfMany` is joined. */
export const partnerNowOfMany = `(world_now() + coalesce(c.ahead, interval '0'))`;

/** The world time of an instant by the clock of each row's partner, for whose clocks `aheadOfMany` is joined. */
export const worldTimeOfMany = (instant: string): string => `(${instant} - coalesce(c.ahead, interval '0'))`;

/** Without a row of its own for whoever is no sandbox. A subquery for each row could not be sent to many machines. */
export const aheadOfMany = (client: string): string => `LEFT JOIN sandbox_clocks c ON c.client_id = ${client}`;

/** What the clock of the sandbox `c` showed when it was last moved; null where it never was. */
export const shownWhenMoved = '(c.moved_at + c.ahead)';

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
/** Who only knows of it excludes nobody but those who move it, as every batch does. */
const locks = {
  known: selectClock('hold_sandbox_clock', 'FOR SHARE'),
  moved: selectClock('lock_sandbox_clock', 'FOR UPDATE'),
};

/**
 * For a batch, that reads the world's time behind it: until its transaction has ended the clock is not moved, and while it is being
 * moved this waits. What it shows at that time; undefined for a partner that is no sandbox.
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

/** Of the partner $1, in one row. */
export const selectTimeAndHead = 'SELECT world_now() AS now, count(*) AS heads FROM event_heads WHERE client_id = $1';

export function timeAndHeadOf([row]: TimeAndHeadRow[]): TimeAndHead {
  assert(row, 'there is a time, whatever is counted');
  return { worldNow: row.now, hasHead: row.heads > 0 };
}

const selectTime = named('time_and_head', selectTimeAndHead, timeAndHeadOf);

/**
 * The time by which everything is decided: by the database's clock, so that servers with different clocks agree, and read when the locks
 * ahead of it are held. And whether the partner has the head that many rows are written with.
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

/** Undefined for a partner that is no sandbox. */
export const readSandboxClock = (clientId: number): Statement<SandboxClock | undefined> => select([clientId]);

const insert = named('insert_sandbox_clock', `INSERT INTO sandbox_clocks (client_id, ahead) VALUES ($1, interval '0')`);

/** Its clock shows the world's time, until it is set. */
export const insertSandboxClock = (clientId: number): Statement => insert([clientId]);

const show = named(
  'show_on_sandbox_clock',
  `UPDATE sandbox_clocks SET ahead = ($2 - extract(epoch FROM world_now()) * 1000) * interval '1 ms' WHERE client_id = $1`,
);

/**
 * Whatever it showed before. Nobody may see a clock that is behind the world: only for the transaction that makes the sandbox,
 * which must end with a clock that is not.
 */
export const showOnNewClock = (clientId: number, time: Instant): Statement => show([clientId, time]);

// Each partner has one head: the row with the number of its latest event. Writing events moves it.

const addHead = named(
  'add_event_head',
  'INSERT INTO event_heads (client_id, last_sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

/** For a partner that may have none yet: what is written of it, many rows at a time, stands on its head. */
export const insertEventHead = (clientId: number): Statement => addHead([clientId]);

const writeNothing = named(
  'keep_partner_in_place',
  'UPDATE event_heads SET last_sequence = last_sequence WHERE client_id = $1 AND last_sequence < 0',
);

/**
 * Ahead of the first lock of a transaction that reads under it what it then writes: until it ends, what the partner has stays on its machine,
 * where there are many. Rows that a SELECT has locked are moved to another machine all the same, where they are free; a second
 * transaction then locks them there, and one of the two overwrites the other. What is written to is not moved, and to write nothing is enough.
 */
export const keepInPlace = (clientId: number): Statement => writeNothing([clientId]);

const moveHead = named(
  'move_event_head',
  'UPDATE event_heads SET last_sequence = last_sequence + $2::bigint WHERE client_id = $1 RETURNING client_id, last_sequence',
  ([row]: { last_sequence: number }[]) => {
    assert(row, 'the partner has a head');
    return row.last_sequence;
  },
);

/** For as many events as are inserted behind it. The number of the last of them. */
export const moveEventHead = (clientId: number, events: number): Statement<number> => moveHead([clientId, events]);
