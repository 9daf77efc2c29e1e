import assert from 'node:assert/strict';
import { formatInstant, type Instant, timeText } from '../primitives/amounts.ts';
import { partnerNow } from './clock.ts';
import { named, type Statement, withCustomPlan } from './statement.ts';

// Lists, newest first. The cost of one request is bounded: a search for a rare status scans a limited number of rows,
// and the page then has a cursor for the rest, even if it is empty. The scan computes only the status; whole rows are
// read only for the page, and no more of them than fit into a response.

const scanBound = 10_000;
/** Bytes of one response. */
const pageBytes = 4 * 1024 * 1024;

export interface PageKey {
  at: Instant;
  id: string;
}

export interface PageWanted {
  limit: number;
  status: string | null;
  /** From inclusive, until exclusive. */
  from: Instant | null;
  until: Instant | null;
  after: PageKey | null;
}

export interface Page<T> {
  now: Instant;
  items: { key: PageKey; value: T }[];
  next: PageKey | null;
}

/** Columns of every row. An empty page has one row with only these columns. */
interface PageColumns {
  now: Instant;
  /** How many rows were found; some may not fit into the response. */
  found: number;
  /** Where the scan stopped, if it stopped before the page was full. */
  last_at: Instant | null;
  last_id: string;
  at: Instant | null;
  id: string;
}

interface List {
  /** The column that orders the rows. */
  at: string;
  id: string;
  /** The status at `clock.now`. PostgreSQL inlines a function only if that is a column; 10,000 calls took 270 ms. */
  status: string;
  /** An id that sorts before all others. */
  lowestId: string;
  /** The rows of the partner $7; may use $8 and more. */
  from: string;
  where: string;
  /** Selects the row with the key `w.id`. */
  row: string;
  /** The bytes of the columns of the row `r` that can be long. */
  size: string;
}

/**
 * $1 limits the scan, $2 the page; the page begins after the key $3, $4; $5 is the status and $6 the earliest time, or
 * null.
 */
const pageText = ({ at, id, status, from, where, row, size }: List) => {
  const behind = `WHERE ${where} AND ($3::timestamptz IS NULL OR (${at}, ${id}) < ($3, $4))
    AND ($6::timestamptz IS NULL OR ${at} >= $6) ORDER BY ${at} DESC, ${id} DESC`;
  return `
  WITH clock AS MATERIALIZED (SELECT ${partnerNow('$7')} AS now),
  wanted AS MATERIALIZED (
    SELECT at, id FROM (
      SELECT ${at} AS at, ${id} AS id, ${status} AS status FROM ${from} CROSS JOIN clock ${behind} LIMIT $1) scanned
    WHERE $5::text IS NULL OR status = $5 ORDER BY at DESC, id DESC LIMIT $2),
  counted AS MATERIALIZED (SELECT count(*) AS found FROM wanted),
  last AS (
    SELECT * FROM (SELECT ${at} AS at, ${id} AS id FROM ${from} ${behind} OFFSET $1 - 1 LIMIT 1) scanned
    WHERE $5::text IS NOT NULL AND (SELECT found FROM counted) < $2),
  shown AS (
    SELECT w.at, w.id, r.*, sum(${size}) OVER (ORDER BY w.at DESC, w.id DESC) - ${size} AS bytes_before
    FROM wanted w CROSS JOIN LATERAL (${row} OFFSET 0) r)
  SELECT clock.now, counted.found, last.at AS last_at, last.id AS last_id, shown.*
  FROM clock CROSS JOIN counted LEFT JOIN last ON true LEFT JOIN shown ON shown.bytes_before < ${pageBytes}
  ORDER BY shown.at DESC, shown.id DESC`;
};

/** The key after which the page begins: the cursor, or `until` if that is earlier. */
function beginningOf({ after, until }: PageWanted, lowestId: string): PageKey | null {
  return until === null || (after !== null && after.at < until) ? after : { at: until, id: lowestId };
}

/** `rest` are the values of $7 and more. */
export function pageStatement<Row>(name: string, list: List) {
  const statement = named<Row & PageColumns>(name, pageText(list));
  return (wanted: PageWanted, rest: unknown[]): Statement<Page<Row>> => {
    const beginning = beginningOf(wanted, list.lowestId);
    const values = [
      wanted.status === null ? wanted.limit + 1 : scanBound,
      // One extra row shows whether there is a next page.
      wanted.limit + 1,
      beginning && formatInstant(beginning.at),
      beginning?.id ?? null,
      wanted.status,
      timeText(wanted.from),
      ...rest,
    ];
    return {
      ...withCustomPlan(statement(values)),
      read: ({ rows }) => pageOf(rows as (Row & PageColumns)[], wanted.limit),
    };
  };
}

function pageOf<Row>(rows: (Row & PageColumns)[], limit: number): Page<Row> {
  const [first] = rows;
  assert(first, 'the clock has one row, even without results');
  const items = rows
    .flatMap((value) => (value.at === null ? [] : [{ key: { at: value.at, id: value.id }, value }]))
    .slice(0, limit);
  const end = first.last_at === null ? null : { at: first.last_at, id: first.last_id };
  return { now: first.now, items, next: items.length < first.found ? (items.at(-1)?.key ?? null) : end };
}

/** The first items that fit into a response; at least one, because no item is longer than a response. */
export function firstFitting<T>(items: readonly T[], bytesOf: (item: T) => number): T[] {
  let bytes = 0;
  const end = items.findIndex((item, i) => {
    bytes += bytesOf(item);
    return bytes > pageBytes && i > 0;
  });
  return items.slice(0, end < 0 ? items.length : end);
}

export function fittingPage<T>(page: Page<T>, bytesOf: (value: T) => number): Page<T> {
  const items = firstFitting(page.items, ({ value }) => bytesOf(value));
  return items.length === page.items.length ? page : { ...page, items, next: items.at(-1)?.key ?? null };
}
