import assert from 'node:assert/strict';
import { formatInstant, type Instant, timeText } from '../primitives/amounts.ts';
import { partnerNow } from './clock.ts';
import { named, plannedAnew, type Statement } from './statement.ts';

// Lists, newest first. What one request can cost is bounded: looking for a rare status walks so many rows and no more,
// and the page then says where to go on, even if it is empty. Of the rows that are walked only what decides is computed;
// whole rows are read for those that are shown, and of these no more than fit into an answer.

const scanBound = 10_000;
/** Bytes of one answer. */
const pageBytes = 4 * 1024 * 1024;

export interface PageKey {
  at: Instant;
  id: string;
}

export interface PageWanted {
  limit: number;
  status: string | null;
  /** The oldest wanted, and the first that is too new. */
  from: Instant | null;
  until: Instant | null;
  after: PageKey | null;
}

export interface Page<T> {
  now: Instant;
  items: { key: PageKey; value: T }[];
  next: PageKey | null;
}

/** On every row; a page without rows has one row that has only these. */
interface PageColumns {
  now: Instant;
  /** How many rows were found, of which some may not fit. */
  found: number;
  /** Where the scan ended, when it did before the page was full. */
  last_at: Instant | null;
  last_id: string;
  at: Instant | null;
  id: string;
}

interface List {
  /** What the rows are ordered by. */
  at: string;
  id: string;
  /** At the time `clock.now`. A function is inlined only if that is a column: 10,000 calls of one took 270 ms. */
  status: string;
  /** An id before all others. */
  lowestId: string;
  /** The rows of the partner $7; may use $8 and more. */
  from: string;
  where: string;
  /** The row to the key `w.id`. */
  row: string;
  /** Bytes of that row `r` that are not few in any case. */
  size: string;
}

/** $1 bounds the scan, $2 the page; $3 and $4 are the key to begin behind, $5 is the status and $6 the oldest wanted, or null. */
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

/** Where a page begins: behind the one before, or at the newest that is old enough. */
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
      // One row more than wanted tells whether there is a next page.
      wanted.limit + 1,
      beginning && formatInstant(beginning.at),
      beginning?.id ?? null,
      wanted.status,
      timeText(wanted.from),
      ...rest,
    ];
    return {
      ...plannedAnew(statement(values)),
      read: ({ rows }) => pageOf(rows as (Row & PageColumns)[], wanted.limit),
    };
  };
}

function pageOf<Row>(rows: (Row & PageColumns)[], limit: number): Page<Row> {
  const [first] = rows;
  assert(first, 'the clock has one row, whatever is found');
  const items = rows
    .flatMap((value) => (value.at === null ? [] : [{ key: { at: value.at, id: value.id }, value }]))
    .slice(0, limit);
  const end = first.last_at === null ? null : { at: first.last_at, id: first.last_id };
  return { now: first.now, items, next: items.length < first.found ? (items.at(-1)?.key ?? null) : end };
}

/** The first of the items, as many as fit into an answer; at least one, since none is longer than that. */
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
