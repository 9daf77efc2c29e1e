import type pg from 'pg';
import type { PartnerSelection, SandboxFilter } from '../../calls/partner-selection.ts';
import type { Connection } from '../../engine/connection.ts';
import { named, type Statement } from '../../engine/statement.ts';
import { streamHeld } from '../../engine/transaction.ts';
import { type Measure, measures } from '../../events/activity/sql.ts';
import { writtenAt } from '../../events/feed/sql/events.ts';
import { formatInstant, type Instant, lastInstant, type WorldInstant } from '../../primitives/amounts.ts';

// Sums of the activity by any of the groups below, and always by currency. Column names come only from this list, never
// from a request.

/** The groups of a report, each with its column and type. */
const groups = {
  partner: { column: 'client_id', type: 'int' },
  campaign: { column: 'campaign_id', type: 'text' },
  game: { column: 'game_id', type: 'text' },
  provider: { column: 'provider_id', type: 'text' },
  currency: { column: 'currency', type: 'text' },
  hour: { column: 'at', type: 'text' },
  day: { column: 'day', type: 'text' },
  month: { column: 'month', type: 'text' },
} as const;
export type ReportGroup = keyof typeof groups;

export interface ReportWanted extends PartnerSelection {
  /** Null for all campaigns; empty for direct free bets. */
  campaignId: string | null;
  currency: string | null;
  /** The report covers hours that start in [from, until). */
  from: Instant;
  until: Instant;
  timeZone: string;
  by: readonly ReportGroup[];
}

/** A row with its keys in column order and its sums. A key is empty if there is no campaign, game or provider. */
export interface ReportRow {
  keys: (string | number)[];
  sums: Record<Measure, number | bigint>;
}

export interface ReportPage {
  rows: ReportRow[];
  totals: { currency: string; sums: ReportRow['sums'] }[];
  isMore: boolean;
}

/** Adds the currency last unless it is requested. */
const groupsOf = (by: readonly ReportGroup[]): readonly ReportGroup[] =>
  by.includes('currency') ? by : [...by, 'currency'];

/** The columns of a row. */
export const reportColumns = (by: readonly ReportGroup[]) => groupsOf(by).map((group) => groups[group]);

const hourMs = 3_600_000;

const summed = measures
  .map((name) => `sum(a.${name})::${name === 'staked' || name === 'won' ? 'numeric' : 'bigint'} AS ${name}`)
  .join(', ');

/** The days or months in which hours of the range start, each with its start and label. $6 is the time zone. */
const calendar = (group: 'day' | 'month') => `
  ${group}s AS (
    SELECT array_agg(starts ORDER BY starts) AS starts, array_agg(label ORDER BY starts) AS labels FROM (
      SELECT min(h) AS starts, to_char(h AT TIME ZONE $6, '${group === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM'}') AS label
      FROM generate_series($2::timestamptz, $3::timestamptz, interval '1 hour') h GROUP BY 2) each)`;

/** An hour in the format of responses. */
const hourText = `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/**
 * The expression to group by and the column to show. Days and months are numbers until the end: with a label for every
 * row, a month took 8 s instead of 1.5 s.
 */
function expressions(group: ReportGroup): { grouped: string; shown: string } {
  const { column } = groups[group];
  if (group === 'hour') return { grouped: 'a.hour', shown: `${hourText} COLLATE "C" AS ${column}` };
  if (group !== 'day' && group !== 'month') return { grouped: `a.${column}`, shown: column };
  const shown = `(SELECT labels FROM ${group}s)[${column}] COLLATE "C" AS ${column}`;
  return { grouped: `width_bucket(a.hour, (SELECT starts FROM ${group}s)) AS ${column}`, shown };
}

/** Conditions on the partner's row `p` that select real partners or sandboxes. */
export const partnerConditions: Readonly<Record<SandboxFilter, string>> = {
  all: 'true',
  real: 'NOT p.sandbox',
  sandboxes: 'p.sandbox',
};

/** The ids of the selected partners; $1 holds the given ids or null. */
export const selectedPartnerIds = ({ among }: Pick<PartnerSelection, 'among'>): string =>
  among === 'all'
    ? 'coalesce($1::int[], ARRAY(SELECT p.client_id FROM partners p))'
    : `ARRAY(SELECT p.client_id FROM partners p WHERE ${partnerConditions[among]} AND ($1::int[] IS NULL OR p.client_id = ANY ($1)))`;

/** What a report covers. */
export interface ReportReach {
  has_sandboxes: boolean;
  /** The time of the first event that is not counted yet; now if all are counted. */
  counted_until: WorldInstant;
}

/** Read this before the report, so that the report never covers less than `counted_until` promises. */
export const readReach = (wanted: PartnerSelection): Statement<ReportReach> =>
  named(
    '',
    `SELECT EXISTS (SELECT 1 FROM partners s WHERE s.sandbox AND s.client_id = ANY (${selectedPartnerIds(wanted)})) AS has_sandboxes,
       least(world_now(), (
         SELECT min(first.at) FROM event_heads h LEFT JOIN activity_heads a ON a.client_id = h.client_id
         CROSS JOIN LATERAL (
           SELECT ${writtenAt} AS at FROM event_batches b
           WHERE b.client_id = h.client_id AND b.first_sequence > coalesce(a.position, 0)
           ORDER BY b.first_sequence LIMIT 1) first
         WHERE h.client_id = ANY (${selectedPartnerIds(wanted)}) AND h.last_sequence > coalesce(a.position, 0))) AS counted_until`,
    ([row]: ReportReach[]) => row as ReportReach,
  )([wanted.partners]);

/**
 * The sums per group in a CTE named `grouped`. The statement is unnamed, so that PostgreSQL plans it for its values.
 * Groups with only zeros are left out: their rows remain after everything was rolled back.
 */
function grouped(wanted: ReportWanted): { text: string; values: unknown[] } {
  const { partners, from, until, campaignId, currency, timeZone, by } = wanted;
  const all = groupsOf(by).map(expressions);
  const calendars = by.filter((group) => group === 'day' || group === 'month');
  const text = `${calendars.map((group) => `${calendar(group)},`).join('')}
    grouped AS MATERIALIZED (
      SELECT ${all.map(({ shown }) => shown).join(', ')}, ${measures.join(', ')} FROM (
        SELECT ${all.map(({ grouped }) => grouped).join(', ')}, ${summed} FROM activity a
        WHERE a.client_id = ANY (${selectedPartnerIds(wanted)})
          AND a.hour >= $2::timestamptz AND a.hour < $3::timestamptz
          AND ($4::text IS NULL OR a.campaign_id = $4) AND ($5::text IS NULL OR a.currency = $5)
        GROUP BY ${all.map((_, i) => i + 1).join(', ')}) sums
      WHERE ${measures.map((name) => `${name} <> 0`).join(' OR ')})`;
  const firstHour = formatInstant(Math.min(Math.ceil(from / hourMs) * hourMs, lastInstant));
  const values = [partners, firstHour, formatInstant(until), campaignId, currency];
  return { text, values: calendars.length > 0 ? [...values, timeZone] : values };
}

type SumsRow = Record<string, string | number | boolean>;

const rowOf = (by: readonly ReportGroup[]) => {
  const columns = reportColumns(by);
  return (read: SumsRow): ReportRow => ({
    keys: columns.map(({ column }) => read[column] as string | number),
    sums: sumsOf(read),
  });
};

const sumsOf = (read: SumsRow): ReportRow['sums'] => ({
  issued: Number(read.issued),
  cancelled: Number(read.cancelled),
  expired: Number(read.expired),
  bets: Number(read.bets),
  settled: Number(read.settled),
  staked: BigInt(read.staked as string),
  won: BigInt(read.won as string),
});

interface RowsWanted {
  limit: number;
  after: (string | number)[] | null;
  /** If set, returns the rows of each currency with the highest value instead of a page. */
  most: Measure | null;
}

/** A page in key order after the given keys, with the totals of all pages. */
export function readReport(wanted: ReportWanted, { limit, after, most }: RowsWanted): Statement<ReportPage> {
  const { text, values } = grouped(wanted);
  const columns = reportColumns(wanted.by);
  const names = columns.map(({ column }) => column).join(', ');
  const behind = columns.map(({ type }, i) => `$${values.length + 1 + i}::${type}`).join(', ');
  // Both halves of a union must use the same collation.
  const collated = ({ column, type }: (typeof columns)[number], value: string = column) =>
    type === 'text' ? `${value} COLLATE "C" AS ${column}` : `${value} AS ${column}`;
  const totalColumns = columns.map((each) =>
    collated(each, each.column === 'currency' ? 'currency' : `NULL::${each.type}`),
  );
  const rowsText =
    most === null
      ? `grouped ${after === null ? '' : `WHERE (${names}) > (${behind})`} ORDER BY ${names} LIMIT ${limit + 1}`
      : `(SELECT *, row_number() OVER (PARTITION BY currency ORDER BY ${most} DESC, ${names}) AS place FROM grouped) ranked
         WHERE place <= ${limit}`;
  const page = named<SumsRow>(
    '',
    `WITH ${text}
     SELECT * FROM (
       SELECT true AS is_total, ${totalColumns.join(', ')}, ${summed} FROM grouped a GROUP BY currency
       UNION ALL
       (SELECT false, ${columns.map((each) => collated(each)).join(', ')}, ${measures.join(', ')} FROM ${rowsText})) found
     ORDER BY is_total DESC, ${names}`,
  );
  const read = (rows: SumsRow[]): ReportPage => {
    const found = rows.filter((row) => !row.is_total);
    const totals = rows.filter((row) => row.is_total);
    return {
      rows: found.slice(0, most === null ? limit : undefined).map(rowOf(wanted.by)),
      totals: totals.map((row) => ({ currency: row.currency as string, sums: sumsOf(row) })),
      isMore: most === null && found.length > limit,
    };
  };
  return { ...page([...values, ...(after ?? [])]), read: ({ rows }) => read(rows as SumsRow[]) };
}

const useZone = named('use_time_zone', `SELECT now() AT TIME ZONE $1 AS local`);

/** Fails if the database does not know the time zone. */
export const useTimeZone = (timeZone: string): Statement => useZone([timeZone]);

const rowsAtATime = 1000;

/** Streams all rows in key order, converted by `make`. */
export function streamReport<T>(
  pool: pg.Pool,
  wanted: ReportWanted,
  make: (connection: Connection, rows: ReportRow[]) => Promise<T>,
): AsyncGenerator<T> {
  const { text, values } = grouped(wanted);
  const names = reportColumns(wanted.by).map(({ column }) => column);
  const query = { text: `WITH ${text} SELECT * FROM grouped ORDER BY ${names.join(', ')}`, values };
  return streamHeld(pool, query, rowsAtATime, (connection, rows: SumsRow[]) =>
    make(connection, rows.map(rowOf(wanted.by))),
  );
}
