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

export const readDatabaseState = (): Statement<DatabaseState> => select();
