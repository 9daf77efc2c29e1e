import assert from 'node:assert/strict';
import { findActiveOrDueIds } from '../../background/sql/due.ts';
import { aheadOfMany, partnerNowOfMany } from '../../engine/clock.ts';
import type { Connection } from '../../engine/connection.ts';
import { ask, named } from '../../engine/statement.ts';

// The state of the database, and the number of overdue free bets.

export interface DatabaseState {
  version: string;
  size_bytes: number;
  overdue: number;
}

/** The most that are counted per partner, which bounds the cost of the query. */
const mostCounted = 1000;

const select = named<Omit<DatabaseState, 'overdue'>>(
  'database_state',
  `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS size_bytes`,
);

const selectOverdue = named(
  'overdue_of_partners',
  `SELECT coalesce(sum(k.overdue), 0)::bigint AS overdue FROM (
     SELECT (SELECT count(*) FROM (
         SELECT FROM free_bets f WHERE f.client_id = h.client_id AND NOT f.swept AND f.expires_at <= ${partnerNowOfMany}
         LIMIT ${mostCounted}) found) AS overdue
     FROM event_heads h ${aheadOfMany('h.client_id')} WHERE h.client_id = ANY ($1::int[])) k`,
  ([row]: { overdue: number }[]) => row?.overdue ?? 0,
);

export async function readDatabaseState(connection: Connection): Promise<DatabaseState> {
  const [state] = await ask(connection, select());
  assert(state, 'a SELECT without FROM has one row');
  const overdue = await ask(connection, selectOverdue([await ask(connection, findActiveOrDueIds())]));
  return { ...state, overdue };
}
