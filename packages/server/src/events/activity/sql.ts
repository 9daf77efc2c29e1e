import { findActiveIds } from '../../background/sql/due.ts';
import { atOnce, findDue, type WorkKind } from '../../background/sql/work.ts';
import type { Connection } from '../../engine/connection.ts';
import { type Columns, insertInto, joinRows, rowOperation, updateOf } from '../../engine/rows.ts';
import { ask, clientIdsOf, isAmong, named, type Statement } from '../../engine/statement.ts';
import { formatInstant, type Instant } from '../../primitives/amounts.ts';
import type { StoredEvent } from '../../promo/batch/sql/events.ts';
import { writtenAt } from '../feed/sql/events.ts';

// Activity per hour, and how far the events of each partner are counted. A transaction must hold the lock on the
// partner's head to write its rows.

/** One row, or the amounts added to it. */
export interface Activity {
  hour: Instant;
  /** Empty for a free bet without a campaign. */
  campaignId: string;
  currency: string;
  /** Both are empty for an event without a game. */
  gameId: string;
  providerId: string;
  issued: number;
  cancelled: number;
  expired: number;
  bets: number;
  settled: number;
  staked: bigint;
  won: bigint;
}

const counts = ['issued', 'cancelled', 'expired', 'bets', 'settled'] as const;
const sums = ['staked', 'won'] as const;
export const measures = [...counts, ...sums] as const;
export type Measure = (typeof measures)[number];

/** The parts of an event batch that counting needs. */
export interface StoredBatch {
  first_sequence: number;
  last_sequence: number;
  occurred_at: Instant;
  events: StoredEvent[];
}

/** A batch that one step reads. */
interface UncountedRow extends StoredBatch {
  last_wanted: number;
}

export interface Uncounted {
  batches: StoredBatch[];
  /** Whether more events may follow. */
  isMore: boolean;
}

/** The maximum number of events that one step reads of a partner, of any size. */
const maxEventsPerStep = 20_000;

const batchesAfter = (clientId: string, position: string, bytes: string) => `
  SELECT first_sequence, last_sequence, occurred_at, events, last_wanted
  FROM (
    SELECT b.first_sequence, b.last_sequence, b.occurred_at, b.events, max(b.last_sequence) OVER () AS last_wanted,
      sum(pg_column_size(b.events)) OVER (ORDER BY b.first_sequence) - pg_column_size(b.events) AS bytes_before
    FROM event_batches b
    WHERE b.client_id = ${clientId} AND b.first_sequence > ${position} AND b.first_sequence <= ${position} + ${maxEventsPerStep}) wanted
  WHERE bytes_before < ${bytes} ORDER BY first_sequence`;

function uncountedOf(rows: UncountedRow[]): Uncounted {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return { batches: [], isMore: false };
  const isCut = last.last_sequence < last.last_wanted;
  return { batches: rows, isMore: isCut || last.last_wanted - first.first_sequence + 1 >= maxEventsPerStep };
}

const addHead = named(
  'add_activity_head',
  'INSERT INTO activity_heads (client_id, position) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

/**
 * Locks the heads and reads the next uncounted events of each partner, up to about `bytes`. The holder of the lock counts
 * them. Skips partners whose head another transaction holds. The lock returns the current position, but the batches
 * are from the earlier snapshot of the statement, so at most some are missing. Send it after `pinPartners`.
 */
export const takeUncounted = rowOperation<number, UncountedRow & { client_id: number }, Map<number, Uncounted>>(
  'take_uncounted_events',
  { bytes: { type: 'int', of: (bytes) => bytes } },
  ({ isSingleRow, clientId, rows }) =>
    isSingleRow
      ? `WITH head AS (SELECT position FROM activity_heads WHERE client_id = $1 FOR UPDATE SKIP LOCKED)
   SELECT $1::int AS client_id, w.* FROM (${batchesAfter('$1', '(SELECT position FROM head)', '$2')}) w`
      : `SELECT k.client_id, w.* FROM ${rows} ${joinRows({ clientId }, 'activity_heads', [], 'head', 'k', 'FOR UPDATE SKIP LOCKED')}
   CROSS JOIN LATERAL (${batchesAfter('k.client_id', 'head.position', 'k.bytes')} OFFSET 0) w`,
  (rows) =>
    new Map([...Map.groupBy(rows, (row) => row.client_id)].map(([clientId, some]) => [clientId, uncountedOf(some)])),
);

const selectAfter = named<UncountedRow, Uncounted>(
  'stored_events_after',
  batchesAfter('$1', '$3::bigint', '$2'),
  uncountedOf,
);

/** The events after a position, without their bodies. */
export const readBatchesAfter = (clientId: number, position: number, bytes: number): Statement<Uncounted> =>
  selectAfter([clientId, bytes, position]);

const keys: Columns<Activity> = {
  hour: { type: 'timestamptz', of: (row) => formatInstant(row.hour) },
  campaign_id: { type: 'text', of: (row) => row.campaignId },
  currency: { type: 'text', of: (row) => row.currency },
  game_id: { type: 'text', of: (row) => row.gameId },
  provider_id: { type: 'text', of: (row) => row.providerId },
};

const insertSums = insertInto<Activity>(
  'activity AS a',
  {
    ...keys,
    ...Object.fromEntries(counts.map((name) => [name, { type: 'bigint', of: (row: Activity) => row[name] }])),
    ...Object.fromEntries(sums.map((name) => [name, { type: 'numeric', of: (row: Activity) => String(row[name]) }])),
  },
  {
    name: 'add_activity',
    onConflict: `ON CONFLICT (client_id, ${Object.keys(keys).join(', ')}) DO UPDATE SET
      ${measures.map((name) => `${name} = a.${name} + excluded.${name}`).join(', ')}`,
  },
);

const moveHeads = updateOf<number>('activity_heads', {}, { position: { type: 'bigint', of: (position) => position } });

/** New sums of a partner, and the position in the feed up to which its events are then counted. */
export interface NewActivity {
  rows: Activity[];
  position: number;
}

/** The transaction must hold the locks on the heads. */
export function addActivity(added: ReadonlyMap<number, NewActivity>): Statement[] {
  const sums = new Map([...added].flatMap(([clientId, { rows }]) => (rows.length > 0 ? [[clientId, rows]] : [])));
  const positions = new Map([...added].map(([clientId, { position }]) => [clientId, [position]]));
  return [...(sums.size > 0 ? [insertSums(sums)] : []), moveHeads(positions)];
}

export const activity: WorkKind = {
  name: 'activity',
  join: 'LEFT JOIN activity_heads a ON a.client_id = h.client_id',
  dueAt: `CASE WHEN h.last_sequence > coalesce(a.position, 0) THEN ${atOnce} END`,
};

/** Those of the given partners that have uncounted events. */
export const findBehind = findDue(activity);

const selectWithoutHead = named(
  'partners_without_activity_head',
  `SELECT h.client_id FROM event_heads h LEFT JOIN activity_heads a ON a.client_id = h.client_id
   WHERE ${isAmong('h', '$1')} AND a.client_id IS NULL`,
  clientIdsOf,
);

/** Those of the given partners that need a head before their events can be counted. */
export const findWithoutHead = (clientIds: readonly number[]): Statement<number[]> => selectWithoutHead([clientIds]);

/** Does nothing if the partner has a head. */
export const insertActivityHead = (clientId: number): Statement => addHead([clientId]);

const selectLag = named(
  'activity_lag',
  `SELECT coalesce(max(extract(epoch FROM world_now() - k.at)), 0)::float8 AS lag_s FROM (
     SELECT (SELECT ${writtenAt} FROM event_batches b WHERE b.client_id = h.client_id AND b.first_sequence > coalesce(a.position, 0)
             ORDER BY b.first_sequence LIMIT 1) AS at
     FROM event_heads h LEFT JOIN activity_heads a ON a.client_id = h.client_id
     WHERE h.client_id = ANY ($1::int[]) AND h.last_sequence > coalesce(a.position, 0)) k`,
  ([row]: { lag_s: number }[]) => row?.lag_s ?? 0,
);

/** The age of the oldest uncounted event, in seconds. */
export const readActivityLag = async (connection: Connection): Promise<number> =>
  ask(connection, selectLag([await ask(connection, findActiveIds())]));

/** A count that differs from the rows. */
export interface Difference extends Pick<Activity, 'campaignId' | 'currency' | 'gameId' | 'providerId'> {
  /** Null for expiries, because no row has the time at which they were found. */
  hour: Instant | null;
  measure: Measure;
  counted: bigint;
  inRows: bigint;
}

/** A limit: further differences would show nothing new. */
const maxDifferent = 1000;

const keyColumns = 'campaign_id, currency, game_id, provider_id';
const uncountedColumns = [
  ...['hour timestamptz', ...keyColumns.split(', ').map((name) => `${name} text`)],
  ...measures.map((name) => `${name} numeric`),
].join(', ');

// Activity computed from the free bets and bets of the partner $1. The row of a free bet does not have the time at
// which its expiry was found, so it counts in the hour of its expiry time.
const inRows = `
  SELECT date_trunc('hour', m.at, 'UTC') AS hour, coalesce(f.campaign_id, '') AS campaign_id, f.currency, '' AS game_id,
    '' AS provider_id, sum(m.issued) AS issued, sum(m.cancelled) AS cancelled, sum(m.expired) AS expired, 0::bigint AS bets,
    0::bigint AS settled, 0::numeric AS staked, 0::numeric AS won
  FROM free_bets f CROSS JOIN LATERAL (VALUES
    (f.issued_at, 1, 0, 0),
    (f.cancelled_at, 0, 1, 0),
    (CASE WHEN f.swept AND f.cancelled_at IS NULL AND f.bets_placed < f.quantity THEN f.expires_at END, 0, 0, 1)
  ) AS m (at, issued, cancelled, expired)
  WHERE f.client_id = $1 AND m.at IS NOT NULL
  GROUP BY 1, 2, 3
  UNION ALL
  SELECT date_trunc('hour', m.at, 'UTC'), coalesce(f.campaign_id, ''), f.currency, b.game_id, b.provider_id,
    0, 0, 0, sum(m.placed), sum(m.settled), sum(m.placed * f.bet_amount), sum(m.settled * coalesce(b.win_amount, 0))
  FROM bets b JOIN free_bets f ON f.client_id = b.client_id AND f.issue_id = b.issue_id
  CROSS JOIN LATERAL (VALUES (b.placed_at, 1, 0), (b.settled_at, 0, 1)) AS m (at, placed, settled)
  WHERE b.client_id = $1 AND b.state <> 'rolled_back' AND m.at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5`;

/** Expiries are compared without an hour. */
const rowsToCompare = (isCounted: boolean, from: string) => `
  SELECT ${isCounted} AS is_counted, hour, ${keyColumns}, issued, cancelled, 0 AS expired, bets, settled, staked, won FROM ${from}
  UNION ALL SELECT ${isCounted}, NULL, ${keyColumns}, 0, 0, expired, 0, 0, 0, 0 FROM ${from} WHERE expired <> 0`;

const sumOn = (isCounted: boolean, name: Measure) =>
  `coalesce(sum(${name}) FILTER (WHERE ${isCounted ? '' : 'NOT '}is_counted), 0)`;

type DifferentRow = Record<'campaign_id' | 'currency' | 'game_id' | 'provider_id', string> &
  Record<`${'counted' | 'in_rows'}_${Measure}`, string> & { hour: Instant | null };

const compare = named(
  'compare_activity',
  `WITH counted AS NOT MATERIALIZED (SELECT * FROM activity WHERE client_id = $1),
   uncounted AS MATERIALIZED (SELECT * FROM json_to_recordset($2::json) AS u (${uncountedColumns})),
   in_rows AS MATERIALIZED (${inRows})
   SELECT hour, ${keyColumns}, ${measures
     .map((name) => `${sumOn(true, name)}::text AS counted_${name}, ${sumOn(false, name)}::text AS in_rows_${name}`)
     .join(', ')}
   FROM (${rowsToCompare(true, 'counted')} UNION ALL ${rowsToCompare(true, 'uncounted')}
     UNION ALL ${rowsToCompare(false, 'in_rows')}) each
   GROUP BY hour, ${keyColumns}
   HAVING ${measures.map((name) => `${sumOn(true, name)} <> ${sumOn(false, name)}`).join(' OR ')}
   ORDER BY ${keyColumns}, hour LIMIT ${maxDifferent}`,
  (rows: DifferentRow[]): Difference[] => rows.flatMap(differencesOf),
);

function differencesOf({ hour, campaign_id, currency, game_id, provider_id, ...sums }: DifferentRow): Difference[] {
  const key = { hour, campaignId: campaign_id, currency, gameId: game_id, providerId: provider_id };
  return measures
    .map((measure) => ({
      ...{ ...key, measure },
      ...{ counted: BigInt(sums[`counted_${measure}`]), inRows: BigInt(sums[`in_rows_${measure}`]) },
    }))
    .filter(({ counted, inRows }) => counted !== inRows);
}

const uncountedText = (rows: Activity[]): string =>
  JSON.stringify(
    rows.map((row) => ({
      ...Object.fromEntries(Object.entries(keys).map(([name, { of }]) => [name, of(row)])),
      ...Object.fromEntries(measures.map((name) => [name, String(row[name])])),
    })),
  );

/** Compares the counts, plus those not yet counted, with the free bets and bets themselves. */
export const findDifferences = (clientId: number, uncounted: Activity[]): Statement<Difference[]> =>
  compare([clientId, uncountedText(uncounted)]);

export interface ActivityState {
  /** The last counted event, and the last event; 0 if there is none. */
  position: number;
  last: number;
  /** Whether the feed has every event since the start. */
  is_whole: boolean;
}

// The first events may have been removed, or the first free bets may be older than the feed.
const selectState = named(
  'read_activity_state',
  `SELECT coalesce((SELECT position FROM activity_heads WHERE client_id = $1), 0) AS position,
     coalesce((SELECT last_sequence FROM event_heads WHERE client_id = $1), 0) AS last,
     coalesce((SELECT first_sequence = 1 FROM event_batches WHERE client_id = $1 ORDER BY first_sequence LIMIT 1),
       coalesce((SELECT last_sequence FROM event_heads WHERE client_id = $1), 0) = 0)
     AND NOT EXISTS (
       SELECT FROM free_bets WHERE client_id = $1 AND quantity > 0 AND issued_at < coalesce(
         (SELECT occurred_at FROM event_batches WHERE client_id = $1 ORDER BY first_sequence LIMIT 1), 'infinity')) AS is_whole`,
  ([row]: ActivityState[]) => row as ActivityState,
);

export const readActivityState = (clientId: number): Statement<ActivityState> => selectState([clientId]);

const lockHead = named('lock_activity_head', 'SELECT FROM activity_heads WHERE client_id = $1 FOR UPDATE');
const clear = named('clear_activity', 'DELETE FROM activity WHERE client_id = $1');

/** Waits for a counting transaction, then removes all counts of the partner. The same transaction must count again. */
export const clearActivity = (clientId: number): Statement[] => [
  addHead([clientId]),
  lockHead([clientId]),
  clear([clientId]),
];

type InRowsRow = Record<'campaign_id' | 'currency' | 'game_id' | 'provider_id' | 'staked' | 'won', string> &
  Record<(typeof counts)[number], number> & { position: number; hour: Instant | null };

// One statement, so that the rows and the position are from the same snapshot.
const selectInRows = named(
  'activity_in_rows',
  `SELECT k.position, r.* FROM (
     SELECT coalesce((SELECT last_sequence FROM event_heads WHERE client_id = $1), 0) AS position) k
   LEFT JOIN (${inRows}) r ON true`,
  (found: InRowsRow[]): ActivityInRows => ({
    position: found[0]?.position ?? 0,
    rows: found.flatMap(({ hour, campaign_id, game_id, provider_id, staked, won, ...rest }) =>
      hour === null
        ? []
        : [
            {
              ...{ ...rest, hour, campaignId: campaign_id, gameId: game_id, providerId: provider_id },
              ...{ staked: BigInt(staked), won: BigInt(won) },
            },
          ],
    ),
  }),
);

export interface ActivityInRows {
  /** The last event in the same snapshot. */
  position: number;
  rows: Activity[];
}

/** The activity according to the rows, for when the feed lacks the first events. */
export const readActivityInRows = (clientId: number): Statement<ActivityInRows> => selectInRows([clientId]);
