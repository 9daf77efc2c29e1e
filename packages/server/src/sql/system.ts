import assert from 'node:assert/strict';
import { named, type Statement } from '../db/statement.ts';
import { partnerNow } from './clock.ts';
import { wokenOrDueIds } from './due.ts';

// How the database is doing, and what waits in it.

export interface DatabaseState {
  version: string;
  size_bytes: number;
  overdue: number;
}

/** Of a partner, so that what is counted stays little. */
const mostCounted = 1000;

const select = named<DatabaseState, DatabaseState>(
  'database_state',
  `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS size_bytes,
     (SELECT coalesce(sum(o.count), 0)::bigint FROM (${wokenOrDueIds}) p CROSS JOIN LATERAL (
        SELECT count(*) FROM (
          SELECT FROM free_bets f WHERE f.client_id = p.client_id AND NOT f.swept
            AND f.expires_at <= (SELECT ${partnerNow('p.client_id')}) LIMIT ${mostCounted}) found) o) AS overdue`,
  ([row]) => {
    assert(row, 'a SELECT without FROM has one row');
    return row;
  },
);

const selectLag = named(
  'sweeper_lag',
  `SELECT coalesce(max(extract(epoch FROM ${partnerNow('p.client_id')} - (
     SELECT f.expires_at FROM free_bets f WHERE f.client_id = p.client_id AND NOT f.swept ORDER BY f.expires_at LIMIT 1))), 0)::float8 AS lag_s
   FROM (${wokenOrDueIds}) p`,
  ([row]: { lag_s: number }[]) => Math.max(0, row?.lag_s ?? 0),
);

/** For how long the free bet has been over that expired first and is not written down, in seconds. */
export const readSweeperLag = (): Statement<number> => selectLag();

export const readDatabaseState = (): Statement<DatabaseState> => select();
