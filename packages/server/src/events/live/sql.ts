import { noPartner } from '../../audit/sql.ts';
import { findActiveIds } from '../../background/sql/due.ts';
import type { Connection } from '../../engine/connection.ts';
import { ask, named, type Statement } from '../../engine/statement.ts';

/** The last event and the last audit record of a partner. The partner 0 has the changes of no partner. */
export interface Heads {
  client_id: number;
  event: number;
  audit: number;
}

const columns = 'client_id, coalesce(e.last_sequence, 0) AS event, coalesce(a.sequence, 0) AS audit';

const select = named<Heads>(
  'read_heads',
  `SELECT ${columns} FROM event_heads e FULL JOIN audit_heads a USING (client_id)`,
);
const selectSome = named<Heads>(
  'read_some_heads',
  `SELECT ${columns}
   FROM (SELECT client_id, last_sequence FROM event_heads WHERE client_id = ANY ($1::int[])) e
   FULL JOIN (SELECT client_id, sequence FROM audit_heads WHERE client_id = ANY ($1::int[])) a USING (client_id)`,
);

// The tag changes whenever PostgreSQL starts, or when the database or the table is created again, so it changes after
// every kind of restore. A change without a restore costs one reset of the streams.
const selectTag = named(
  'read_database_tag',
  `SELECT left(md5(concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), pg_relation_filenode('event_heads'),
     (SELECT oid FROM pg_database WHERE datname = current_database()))), 8) AS tag`,
  ([row]: { tag: string }[]) => (row as { tag: string }).tag,
);

/** Eight hexadecimal digits that distinguish this database from one restored in its place. */
export const readDatabaseTag = (): Statement<string> => selectTag();

export const readHeads = (): Statement<Heads[]> => select();

/** For active partners, and for changes of no partner. */
export const readHeadsOfActive = async (connection: Connection): Promise<Heads[]> =>
  ask(connection, selectSome([[...(await ask(connection, findActiveIds())), noPartner]]));
