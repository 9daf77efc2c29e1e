import { clientIdsOf } from '../../engine/columns.ts';
import type { Connection } from '../../engine/connection.ts';
import { insertEventHead, keepInPlace } from '../../engine/event-heads.ts';
import { ask, named, type Statement } from '../../engine/statement.ts';
import { formatInstant, type WorldInstant } from '../../primitives/amounts.ts';
import { type AllWork, isDueNow, type NextWork } from './work.ts';

// Which partners the work in the background has to ask about; the stream of the console asks about the same. Whoever gives the work
// something to do wakes the partner in the same transaction; a partner is put to sleep under the lock on its row, by what is then committed.

/** How long a partner stays awake that was woken by a change, in real time. */
export const awakeForMs = 120_000;
/** For as long is looked whether there is anything to do, before a partner goes to sleep again. */
const lookAgainMs = 10_000;

const wake = named(
  'wake_partner',
  `INSERT INTO due_partners AS d (slot, client_id, awake_until) VALUES (due_slot($1::int), $1, statement_timestamp() + $2 * interval '1 ms')
   ON CONFLICT (slot, client_id) DO UPDATE SET awake_until = greatest(d.awake_until, excluded.awake_until), wake_at = NULL`,
);

/** For the transaction that gives the work in the background something to do. */
export const wakePartner = (clientId: number): Statement => wake([clientId, awakeForMs]);

export interface Awake {
  clientIds: number[];
  /** Of these, those that may go to sleep. */
  tired: number[];
}

const isTired = 'awake_until < statement_timestamp()';

// Of one table, one slot and one index: so it is planned as it should also where nothing is known of the table yet, and where there
// are many machines it costs a quarter of what a statement with any more does.
const selectAwake = named(
  'awake_in_slot',
  `SELECT coalesce(array_agg(client_id), '{}') AS client_ids, coalesce(array_agg(client_id) FILTER (WHERE ${isTired}), '{}') AS tired
   FROM due_partners WHERE slot = $1 AND awake_until IS NOT NULL`,
  ([row]: { client_ids: number[]; tired: number[] }[]): Awake => ({
    clientIds: row?.client_ids ?? [],
    tired: row?.tired ?? [],
  }),
);

/** Of those that stand in a slot. */
export const findAwake = (slot: number): Statement<Awake> => selectAwake([slot]);

const selectFirstDue = named(
  'first_due_in_slot',
  `SELECT (extract(epoch FROM wake_at - world_now()) * 1000)::float8 AS due_in_ms
   FROM due_partners WHERE slot = $1 AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1`,
  ([row]: { due_in_ms: number }[]) => row?.due_in_ms ?? Number.POSITIVE_INFINITY,
);

/** In how many milliseconds the time of the first of those that sleep in a slot has come; not more than 0 when it has. */
export const findFirstDue = (slot: number): Statement<number> => selectFirstDue([slot]);

const isAwakeOrDue = 'awake_until IS NOT NULL OR wake_at <= world_now()';
const selectIds = (name: string, which: string) =>
  named(
    name,
    `SELECT coalesce(array_agg(client_id), '{}') AS client_ids FROM due_partners WHERE ${which}`,
    ([row]: { client_ids: number[] }[]) => row?.client_ids ?? [],
  );
const selectAwakeIds = selectIds('awake_ids', 'awake_until IS NOT NULL');
const selectWokenOrDueIds = selectIds('woken_or_due_ids', isAwakeOrDue);

/** On all machines: whoever has something to do is among them. */
export const findAwakeIds = (): Statement<number[]> => selectAwakeIds();
/** Those, and whom nobody has woken yet though it is time. */
export const findWokenOrDueIds = (): Statement<number[]> => selectWokenOrDueIds();

const wakeUp = named(
  'wake_due_partners',
  `UPDATE due_partners SET awake_until = statement_timestamp() + ${lookAgainMs} * interval '1 ms', wake_at = NULL
   WHERE slot = $1 AND client_id = ANY (ARRAY(
     SELECT client_id FROM due_partners WHERE slot = $1 AND wake_at <= world_now() ORDER BY wake_at LIMIT $2 FOR UPDATE SKIP LOCKED))
   RETURNING client_id`,
  clientIdsOf,
);

/** Those in a slot whose time has come, so many at most. */
export const wakeDuePartners = (slot: number, limit: number): Statement<number[]> => wakeUp([slot, limit]);

/** Whoever has none yet gets a head: what was written by a server of an older version is not overlooked. */
async function readNext(connection: Connection, work: AllWork, clientIds: readonly number[]): Promise<NextWork[]> {
  const found = await ask(connection, work.findNext(clientIds));
  if (found.length === clientIds.length) return found;
  const known = new Set(clientIdsOf(found));
  const headless = clientIds.filter((clientId) => !known.has(clientId));
  for (const clientId of headless) await ask(connection, insertEventHead(clientId));
  return [...found, ...(await ask(connection, work.findNext(headless)))];
}

const lockTired = named(
  'lock_tired_partners',
  `SELECT client_id FROM due_partners WHERE slot = $1 AND client_id = ANY ($2::int[]) AND ${isTired}
   ORDER BY client_id FOR UPDATE SKIP LOCKED`,
  clientIdsOf,
);
const stayAwake = named(
  'keep_partners_awake',
  `UPDATE due_partners SET awake_until = statement_timestamp() + ${lookAgainMs} * interval '1 ms'
   WHERE slot = $1 AND client_id = ANY ($2::int[])`,
);
const sleep = named(
  'let_partners_sleep',
  `UPDATE due_partners SET awake_until = NULL, wake_at = coalesce(($3::timestamptz[])[array_position($2::int[], client_id)])
   WHERE slot = $1 AND client_id = ANY ($2::int[])`,
);
const remove = named('forget_partners_due', 'DELETE FROM due_partners WHERE slot = $1 AND client_id = ANY ($2::int[])');

/**
 * In a transaction. Those that have nothing to do sleep until they have, and where that is never, nothing is kept. What they have is
 * read behind the lock on their rows: who gives them something to do at this moment has the lock, or waits for it and wakes them.
 */
export async function putToSleep(
  connection: Connection,
  work: AllWork,
  slot: number,
  clientIds: readonly number[],
): Promise<void> {
  // The place is where all of them are.
  await ask(connection, keepInPlace(slot));
  const tired = await ask(connection, lockTired([slot, clientIds]));
  if (tired.length === 0) return;
  for (const ending of work.endOverLeases(tired)) await ask(connection, ending);
  const found = await readNext(connection, work, tired);
  const idle = found.filter((each) => !isDueNow(each));
  const later = idle.filter(({ due_at }) => due_at !== null);
  await ask(connection, stayAwake([slot, clientIdsOf(found.filter(isDueNow))]));
  await ask(connection, sleep([slot, clientIdsOf(later), later.map(({ due_at }) => formatInstant(due_at as number))]));
  await ask(connection, remove([slot, clientIdsOf(idle.filter(({ due_at }) => due_at === null))]));
}

const selectKnown = named<{ client_id: number; awake: boolean; wake_at: WorldInstant | null }>(
  'due_of_partners',
  `SELECT client_id, awake_until IS NOT NULL AS awake, wake_at FROM due_partners WHERE slot = ANY ($1::int[]) AND client_id = ANY ($2::int[])`,
);

// They are tired at once, and so put to sleep by the way that everybody takes.
const wakeMissed = named(
  'wake_missed_partner',
  `INSERT INTO due_partners (slot, client_id, awake_until) VALUES (due_slot($1::int), $1, statement_timestamp())
   ON CONFLICT (slot, client_id) DO UPDATE SET awake_until = excluded.awake_until, wake_at = NULL WHERE due_partners.awake_until IS NULL`,
);

/** Wakes those of these partners, on one machine, that have something to do though nobody has woken them. */
export async function wakeMissedPartners(
  connection: Connection,
  work: AllWork,
  slots: readonly number[],
  clientIds: readonly number[],
): Promise<void> {
  const found = await readNext(connection, work, clientIds);
  const known = new Map((await ask(connection, selectKnown([slots, clientIds]))).map((row) => [row.client_id, row]));
  const isMissed = ({ client_id, is_leased, due_at }: NextWork) => {
    const { awake, wake_at } = known.get(client_id) ?? { awake: false, wake_at: null };
    return !awake && (is_leased || (due_at !== null && due_at < (wake_at ?? Number.POSITIVE_INFINITY)));
  };
  for (const { client_id } of found.filter(isMissed)) await ask(connection, wakeMissed([client_id]));
}

const selectAfter = named(
  'partners_after',
  'SELECT client_id FROM partners WHERE client_id > $1 ORDER BY client_id LIMIT $2',
  clientIdsOf,
);

/** The next partners by id, for a walk over all of them. */
export const findPartnersAfter = (after: number, limit: number): Statement<number[]> => selectAfter([after, limit]);
