import { findActiveIds } from '../../background/sql/due.ts';
import { atOnce, findDue, type WorkKind } from '../../background/sql/work.ts';
import type { Connection } from '../../engine/connection.ts';
import { ask, type Columns, clientIdsOf, insertInto, isAmong, named, type Statement } from '../../engine/statement.ts';
import { formatInstant, type Instant } from '../../primitives/amounts.ts';
import type { StoredEvent } from '../../promo/batch/sql/events.ts';
import { writtenAt } from '../feed/sql/events.ts';

// What happened hour by hour, and how far the events of each partner are counted. Only who has the lock on a partner's head writes
// its rows.

/** What is added to, or stands in, one row. */
export interface Activity {
  hour: Instant;
  /** Empty for free bets without one. */
  campaignId: string;
  currency: string;
  /** Both are empty for what has no game. */
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

/** The events of a batch, as far as counting needs them. */
export interface StoredBatch {
  first_sequence: number;
  last_sequence: number;
  occurred_at: Instant;
  events: StoredEvent[];
}

/** Of those that a step reads of a partner. */
interface UncountedRow extends StoredBatch {
  last_wanted: number;
}

export interface Uncounted {
  batches: StoredBatch[];
  /** There may be more than was read. */
  isMore: boolean;
}

/** Events that are read of a partner at a time, whatever their length. */
const eventsAtATime = 20_000;

const batchesAfter = (position: string) => `
  wanted AS (
    SELECT b.first_sequence, b.last_sequence, b.occurred_at, b.events, max(b.last_sequence) OVER () AS last_wanted,
      sum(pg_column_size(b.events)) OVER (ORDER BY b.first_sequence) - pg_column_size(b.events) AS bytes_before
    FROM event_batches b
    WHERE b.client_id = $1 AND b.first_sequence > ${position} AND b.first_sequence <= ${position} + ${eventsAtATime})
  SELECT first_sequence, last_sequence, occurred_at, events, last_wanted
  FROM wanted WHERE bytes_before < $2 ORDER BY first_sequence`;

function uncountedOf(rows: UncountedRow[]): Uncounted {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return { batches: [], isMore: false };
  const isCut = last.last_sequence < last.last_wanted;
  return { batches: rows, isMore: isCut || last.last_wanted - first.first_sequence + 1 >= eventsAtATime };
}

const addHead = named(
  'add_activity_head',
  'INSERT INTO activity_heads (client_id, position) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

// Where another has the lock there is nothing to be found. The position is that of the row as it is when the lock is had, and
// the batches are those that the statement saw before: at most it finds fewer than there are.
const lockUncounted = named<UncountedRow, Uncounted>(
  'lock_uncounted_events',
  `WITH head AS (SELECT position FROM activity_heads WHERE client_id = $1 FOR UPDATE SKIP LOCKED),
   ${batchesAfter('(SELECT position FROM head)')}`,
  uncountedOf,
);

/** The next events to be counted, so many bytes of them, or little more; whoever gets some is the one to count them. Behind `keepInPlace`. */
export const takeUncounted = (clientId: number, bytes: number): Statement<Uncounted> =>
  lockUncounted([clientId, bytes]);

const selectAfter = named<UncountedRow, Uncounted>(
  'stored_events_after',
  `WITH ${batchesAfter('$3::bigint')}`,
  uncountedOf,
);

/** The events behind a position, without their bodies. */
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
  { client_id: 'int' },
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

const moveHead = named('move_activity_head', 'UPDATE activity_heads SET position = $2 WHERE client_id = $1');

/** For the transaction that has the lock on the head. */
export const addActivity = (clientId: number, rows: Activity[], position: number): Statement[] => [
  ...(rows.length > 0 ? [insertSums([clientId], rows)] : []),
  moveHead([clientId, position]),
];

export const activity: WorkKind = {
  name: 'activity',
  join: 'LEFT JOIN activity_heads a ON a.client_id = h.client_id',
  dueAt: `CASE WHEN h.last_sequence > coalesce(a.position, 0) THEN ${atOnce} END`,
};

/** Of the partners, those that have events not counted yet. */
export const findBehind = findDue(activity);

const selectHeadless = named(
  'partners_without_activity_head',
  `SELECT h.client_id FROM event_heads h LEFT JOIN activity_heads a ON a.client_id = h.client_id
   WHERE ${isAmong('h', '$1')} AND a.client_id IS NULL`,
  clientIdsOf,
);

/** Of the partners, those that need a head before their events can be counted. */
export const findHeadless = (clientIds: readonly number[]): Statement<number[]> => selectHeadless([clientIds]);

/** For a partner that has none yet. */
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

/** For how long the oldest event has waited that is not counted yet, in seconds. */
export const readActivityLag = async (connection: Connection): Promise<number> =>
  ask(connection, selectLag([await ask(connection, findActiveIds())]));

/** What is not counted as the rows have it. */
export interface Difference extends Pick<Activity, 'campaignId' | 'currency' | 'gameId' | 'providerId'> {
  /** Null for what has expired: when that was found out is in no row. */
  hour: Instant | null;
  measure: Measure;
  counted: bigint;
  inRows: bigint;
}

/** Where more differ, the rest is as wrong as these. */
const maxDifferent = 1000;

const keyColumns = 'campaign_id, currency, game_id, provider_id';
const uncountedColumns = [
  ...['hour timestamptz', ...keyColumns.split(', ').map((name) => `${name} text`)],
  ...measures.map((name) => `${name} numeric`),
].join(', ');

// The free bets and bets of the partner $1 themselves. When a free bet was found to have expired is not in its row: it counts in the
// hour in which its time came.
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

/** What has expired stands beside all hours. */
const besideHours = (isCounted: boolean, from: string) => `
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
   FROM (${besideHours(true, 'counted')} UNION ALL ${besideHours(true, 'uncounted')}
     UNION ALL ${besideHours(false, 'in_rows')}) each
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

/** Hour by hour, what is counted or is yet to be, against the free bets and bets themselves. */
export const findDifferences = (clientId: number, uncounted: Activity[]): Statement<Difference[]> =>
  compare([clientId, uncountedText(uncounted)]);

export interface ActivityState {
  /** The last event that is counted, and the last that there is; 0 where there is none. */
  position: number;
  last: number;
  /** Whether the feed has all that ever happened. */
  is_whole: boolean;
}

// The first event may be removed, or there may have been free bets before there were events at all.
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

/** Waits for who counts, and removes all that is counted of a partner; for a transaction that then counts it anew. */
export const clearActivity = (clientId: number): Statement[] => [
  addHead([clientId]),
  lockHead([clientId]),
  clear([clientId]),
];

type InRowsRow = Record<'campaign_id' | 'currency' | 'game_id' | 'provider_id' | 'staked' | 'won', string> &
  Record<(typeof counts)[number], number> & { position: number; hour: Instant | null };

// Rows and number are those of one moment, since they are read by one statement.
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
  /** The last event of the same moment. */
  position: number;
  rows: Activity[];
}

/** The free bets and bets themselves, for where the feed does not reach back to the first event. */
export const readActivityInRows = (clientId: number): Statement<ActivityInRows> => selectInRows([clientId]);
