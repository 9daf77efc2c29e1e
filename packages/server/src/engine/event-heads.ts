import assert from 'node:assert/strict';
import { named, type Statement } from './statement.ts';

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
