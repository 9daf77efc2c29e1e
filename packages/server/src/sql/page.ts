import { formatInstant, type Instant } from '../domain/amounts.ts';

// Lists, newest first. What one request can cost is bounded: looking for a rare status scans so many rows and no more,
// and the page then says where to go on, even if it is empty.

const scanBound = 10_000;

export interface PageKey {
  at: Instant;
  id: string;
}

export interface PageWanted {
  limit: number;
  status: string | null;
  after: PageKey | null;
}

export interface Page<T> {
  items: T[];
  next: PageKey | null;
}

/** Where the scan ended stands on every row; a page without rows has one row that says only that. */
export type PageRow<Row> = Row & {
  at: Instant | null;
  id: string;
  scanned: number;
  last_at: Instant | null;
  last_id: string;
};

/**
 * `source` selects rows with `at`, `id` and `status`, those after ($3, $4), of the partner $6; it may use $7 and more.
 * $1 bounds the scan, $2 the page, $5 is the status wanted or null.
 */
export const pageStatement = (source: string) => `
  WITH scanned AS MATERIALIZED (${source} ORDER BY at DESC, id DESC LIMIT $1),
  wanted AS (SELECT * FROM scanned WHERE $5::text IS NULL OR status = $5 ORDER BY at DESC, id DESC LIMIT $2),
  bound AS (SELECT (SELECT count(*) FROM scanned) AS scanned, last.at AS last_at, last.id AS last_id
            FROM (SELECT 1) one LEFT JOIN (SELECT at, id FROM scanned ORDER BY at, id LIMIT 1) last ON true)
  SELECT bound.*, wanted.* FROM bound LEFT JOIN wanted ON true ORDER BY at DESC, id DESC`;

const scanOf = ({ status, limit }: PageWanted) => (status === null ? limit + 1 : scanBound);

/** One row more than wanted tells whether there is a next page. */
export const pageValues = (wanted: PageWanted): unknown[] => [
  scanOf(wanted),
  wanted.limit + 1,
  wanted.after && formatInstant(wanted.after.at),
  wanted.after?.id ?? null,
  wanted.status,
];

export function pageOfRows<Row, T>(rows: PageRow<Row>[], wanted: PageWanted, read: (row: Row) => T): Page<T> {
  const found = rows.filter((row) => row.at !== null);
  return { items: found.slice(0, wanted.limit).map(read), next: nextKey(rows, found, wanted) };
}

function nextKey<Row>(rows: PageRow<Row>[], found: PageRow<Row>[], wanted: PageWanted): PageKey | null {
  const lastShown = found[wanted.limit - 1];
  if (found.length > wanted.limit && lastShown?.at) return { at: lastShown.at, id: lastShown.id };
  const [bound] = rows;
  if (bound?.scanned === scanOf(wanted) && bound.last_at !== null) return { at: bound.last_at, id: bound.last_id };
  return null;
}
