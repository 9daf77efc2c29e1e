import { insertInto } from '../../../engine/rows.ts';
import { named, type Statement } from '../../../engine/statement.ts';
import type { JobRefusals, StoredRefusal } from '../job.ts';

export const insertJobRefusals = insertInto<JobRefusals>('job_refusals', {
  job_id: { type: 'uuid', of: (refusals) => refusals.jobId },
  carried_out: { type: 'int', of: (refusals) => refusals.carriedOut },
  refused: { type: 'int', of: (refusals) => refusals.list.length },
  list: { type: 'json', of: (refusals) => JSON.stringify(refusals.list) },
});

interface RefusalsRow {
  carried_out: number;
  list: StoredRefusal[];
  /**
   * `carried_out` of the last row for this page, even if that row was not read; null if the job has no more refusals.
   */
  last_wanted: number | null;
}

/** The most stored bytes of refusals read at a time; a single row may be longer. */
const readBytes = 1024 * 1024;

// Every row has at least one refusal, so a page needs at most as many rows as refusals. The counts and sizes show which
// of these rows are needed; only those lists are read.
const selectRefusals = named<RefusalsRow>(
  'job_refusals_after',
  `WITH near AS (
     SELECT r.carried_out, r.refused, r.list FROM job_refusals r
     WHERE r.client_id = $1 AND r.job_id = $2 AND r.carried_out >= $3::int ORDER BY r.carried_out LIMIT $4::int + 1),
   wanted AS (
     SELECT n.*, max(n.carried_out) OVER () AS last_wanted,
       sum(n.refused) OVER before_it - n.refused AS refused_before,
       sum(pg_column_size(n.list)) OVER before_it - pg_column_size(n.list) AS bytes_before
     FROM near n WINDOW before_it AS (ORDER BY n.carried_out))
   SELECT j.job_id, w.carried_out, w.list, w.last_wanted
   FROM jobs j LEFT JOIN wanted w ON w.refused_before < $4::int + $5::bigint AND w.bytes_before < ${readBytes}
   WHERE j.client_id = $1 AND j.job_id = $2 ORDER BY w.carried_out`,
);

/** The position at which a page of refusals starts. */
export interface RefusalKey {
  /** Identifies the step: the number of items processed before it. */
  carriedOut: number;
  /** The position within the step. */
  position: number;
}

export interface RefusalsPage {
  refusals: StoredRefusal[];
  /** The start of the next page; null on the last page. */
  next: RefusalKey | null;
}

/** Undefined if the job does not exist. */
export const findJobRefusals = (
  clientId: number,
  jobId: string,
  limit: number,
  from: RefusalKey,
): Statement<RefusalsPage | undefined> => {
  const statement = selectRefusals([clientId, jobId, from.carriedOut, limit, from.position]);
  return { ...statement, read: (result) => refusalsPage(statement.read(result), limit, from) };
};

function refusalsPage(rows: RefusalsRow[], limit: number, from: RefusalKey): RefusalsPage | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  if (first.last_wanted === null) return { refusals: [], next: null };
  const all = rows.flatMap(({ carried_out, list }) =>
    list.map((value, position) => ({ key: { carriedOut: carried_out, position }, value })),
  );
  const asked = all.filter(({ key }) => key.carriedOut > from.carriedOut || key.position >= from.position);
  const refusals = asked.slice(0, limit).map(({ value }) => value);
  const behind = asked[limit]?.key;
  const last = rows.at(-1) as RefusalsRow;
  const isMore = last.carried_out < (last.last_wanted as number);
  return { refusals, next: behind ?? (isMore ? { carriedOut: last.carried_out + 1, position: 0 } : null) };
}
