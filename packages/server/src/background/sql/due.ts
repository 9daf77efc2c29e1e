import { insertEventHead } from '../../engine/clock.ts';
import type { Connection } from '../../engine/connection.ts';
import { partnersAsKeys, rowOperation } from '../../engine/rows.ts';
import { ask, clientIdsOf, named, pinPartners, type Statement } from '../../engine/statement.ts';
import { formatInstant, type WorldInstant } from '../../primitives/amounts.ts';
import { type AllWork, isDueNow, type NextWork } from './work.ts';

// The rows of active partners, for background work and the console's event stream. Every transaction that creates work
// marks its partner active. A partner is deactivated under the lock on its row, based on the data committed at that
// moment.

/** How long a change keeps its partner active, in real time. */
export const activeForMs = 120_000;
/** How long due work keeps its partner active. */
const lookAgainMs = 10_000;
const end = `statement_timestamp() + interval '${activeForMs} ms'`;

const mark = rowOperation<number, unknown, void>(
  'mark_partners_active',
  {},
  ({ isSingleRow, clientId, rows }) =>
    `INSERT INTO due_partners AS d (slot, client_id, awake_until)
   ${isSingleRow ? `VALUES (due_slot(${clientId}), ${clientId}, ${end})` : `SELECT due_slot(${clientId}), ${clientId}, ${end} FROM ${rows}`}
   ON CONFLICT (slot, client_id) DO UPDATE SET awake_until = greatest(d.awake_until, excluded.awake_until), wake_at = NULL`,
  () => {},
);

/** For a transaction that creates background work. The partners must be sorted by id, as their rows get locked. */
export const markActive = (clientIds: readonly number[]): Statement => mark(partnersAsKeys(clientIds));

export interface FoundActive {
  clientIds: number[];
  /** Of these, the partners without recent changes. */
  idle: number[];
}

const isIdle = 'awake_until < statement_timestamp()';

// Uses one table, one slot and one index, so that PostgreSQL plans it well even without statistics. On many machines it
// costs a quarter of a statement that reads more.
const selectActive = named(
  'active_in_slot',
  `SELECT coalesce(array_agg(client_id), '{}') AS client_ids, coalesce(array_agg(client_id) FILTER (WHERE ${isIdle}), '{}') AS idle
   FROM due_partners WHERE slot = $1 AND awake_until IS NOT NULL`,
  ([row]: { client_ids: number[]; idle: number[] }[]): FoundActive => ({
    clientIds: row?.client_ids ?? [],
    idle: row?.idle ?? [],
  }),
);

export const findActive = (slot: number): Statement<FoundActive> => selectActive([slot]);

const selectFirstDue = named(
  'first_due_in_slot',
  `SELECT (extract(epoch FROM wake_at - world_now()) * 1000)::float8 AS due_in_ms
   FROM due_partners WHERE slot = $1 AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1`,
  ([row]: { due_in_ms: number }[]) => row?.due_in_ms ?? Number.POSITIVE_INFINITY,
);

/** The time until the first inactive partner of a slot has work due, in milliseconds; 0 or less if it is due. */
export const findFirstDue = (slot: number): Statement<number> => selectFirstDue([slot]);

const isActiveOrDue = 'awake_until IS NOT NULL OR wake_at <= world_now()';
const selectIds = (name: string, which: string) =>
  named(
    name,
    `SELECT coalesce(array_agg(client_id), '{}') AS client_ids FROM due_partners WHERE ${which}`,
    ([row]: { client_ids: number[] }[]) => row?.client_ids ?? [],
  );
const selectActiveIds = selectIds('active_ids', 'awake_until IS NOT NULL');
const selectActiveOrDueIds = selectIds('active_or_due_ids', isActiveOrDue);

/** On all machines. Every partner with work due is among them, except partners that no poll has activated yet. */
export const findActiveIds = (): Statement<number[]> => selectActiveIds();
/** Like `findActiveIds`, plus inactive partners with work due. */
export const findActiveOrDueIds = (): Statement<number[]> => selectActiveOrDueIds();

const activateDue = named(
  'mark_due_active',
  `UPDATE due_partners SET awake_until = statement_timestamp() + ${lookAgainMs} * interval '1 ms', wake_at = NULL
   WHERE slot = $1 AND client_id = ANY (ARRAY(
     SELECT client_id FROM due_partners WHERE slot = $1 AND wake_at <= world_now() ORDER BY wake_at LIMIT $2 FOR UPDATE SKIP LOCKED))
   RETURNING client_id`,
  clientIdsOf,
);

/** Activates partners of a slot that have work due, at most `limit`. */
export const markDueActive = (slot: number, limit: number): Statement<number[]> => activateDue([slot, limit]);

/** Adds missing event heads, so that rows written by an older version are found. */
async function readNext(connection: Connection, work: AllWork, clientIds: readonly number[]): Promise<NextWork[]> {
  const found = await ask(connection, work.findNext(clientIds));
  if (found.length === clientIds.length) return found;
  const known = new Set(clientIdsOf(found));
  const headless = clientIds.filter((clientId) => !known.has(clientId));
  for (const clientId of headless) await ask(connection, insertEventHead(clientId));
  return [...found, ...(await ask(connection, work.findNext(headless)))];
}

const lockIdle = named(
  'lock_idle_partners',
  `SELECT client_id FROM due_partners WHERE slot = $1 AND client_id = ANY ($2::int[]) AND ${isIdle}
   ORDER BY client_id FOR UPDATE SKIP LOCKED`,
  clientIdsOf,
);
const keepActive = named(
  'keep_partners_active',
  `UPDATE due_partners SET awake_until = statement_timestamp() + ${lookAgainMs} * interval '1 ms'
   WHERE slot = $1 AND client_id = ANY ($2::int[])`,
);
const deactivateUntil = named(
  'mark_partners_inactive',
  `UPDATE due_partners SET awake_until = NULL, wake_at = coalesce(($3::timestamptz[])[array_position($2::int[], client_id)])
   WHERE slot = $1 AND client_id = ANY ($2::int[])`,
);
const remove = named('forget_partners_due', 'DELETE FROM due_partners WHERE slot = $1 AND client_id = ANY ($2::int[])');

/**
 * Deactivates partners without work until their next work is due, and removes the rows of partners without future work.
 * Call it in a transaction. Reads their work under the lock on their rows: a transaction that creates work either has
 * the lock already, or waits for it and then marks the partner active.
 */
export async function deactivate(
  connection: Connection,
  work: AllWork,
  slot: number,
  clientIds: readonly number[],
): Promise<void> {
  // All of these rows are on the shard of the slot.
  await ask(connection, pinPartners([slot]));
  const idle = await ask(connection, lockIdle([slot, clientIds]));
  if (idle.length === 0) return;
  for (const ending of work.endOverLeases(idle)) await ask(connection, ending);
  const found = await readNext(connection, work, idle);
  const withoutWork = found.filter((each) => !isDueNow(each));
  const later = withoutWork.filter(({ due_at }) => due_at !== null);
  await ask(connection, keepActive([slot, clientIdsOf(found.filter(isDueNow))]));
  await ask(
    connection,
    deactivateUntil([slot, clientIdsOf(later), later.map(({ due_at }) => formatInstant(due_at as number))]),
  );
  await ask(connection, remove([slot, clientIdsOf(withoutWork.filter(({ due_at }) => due_at === null))]));
}

const selectKnown = named<{ client_id: number; active: boolean; wake_at: WorldInstant | null }>(
  'due_of_partners',
  `SELECT client_id, awake_until IS NOT NULL AS active, wake_at FROM due_partners WHERE slot = ANY ($1::int[]) AND client_id = ANY ($2::int[])`,
);

// Marked partners count as idle immediately, so that the usual path deactivates them.
const activateMissed = named(
  'mark_missed_active',
  `INSERT INTO due_partners (slot, client_id, awake_until) VALUES (due_slot($1::int), $1, statement_timestamp())
   ON CONFLICT (slot, client_id) DO UPDATE SET awake_until = excluded.awake_until, wake_at = NULL WHERE due_partners.awake_until IS NULL`,
);

/** Activates partners, all on one machine, that have work but are not marked active. */
export async function markMissedActive(
  connection: Connection,
  work: AllWork,
  slots: readonly number[],
  clientIds: readonly number[],
): Promise<void> {
  const found = await readNext(connection, work, clientIds);
  const known = new Map((await ask(connection, selectKnown([slots, clientIds]))).map((row) => [row.client_id, row]));
  const isMissed = ({ client_id, is_leased, due_at }: NextWork) => {
    const { active, wake_at } = known.get(client_id) ?? { active: false, wake_at: null };
    return !active && (is_leased || (due_at !== null && due_at < (wake_at ?? Number.POSITIVE_INFINITY)));
  };
  for (const { client_id } of found.filter(isMissed)) await ask(connection, activateMissed([client_id]));
}

const selectAfter = named(
  'partners_after',
  'SELECT client_id FROM partners WHERE client_id > $1 ORDER BY client_id LIMIT $2',
  clientIdsOf,
);

/** The next partners by id, for a walk over all of them. */
export const findPartnersAfter = (after: number, limit: number): Statement<number[]> => selectAfter([after, limit]);
