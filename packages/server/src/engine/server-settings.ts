import assert from 'node:assert/strict';
import type { Connection } from './connection.ts';

export interface DatabaseSettings {
  version_number: number;
  encoding: string;
  fsync: string;
  synchronous_commit: string;
}

/** What decides whether the service may trust this database. */
export async function readDatabaseSettings(connection: Connection): Promise<DatabaseSettings> {
  const { rows } = await connection.query<DatabaseSettings>({
    text: `SELECT current_setting('server_version_num')::int AS version_number, current_setting('fsync') AS fsync,
             current_setting('server_encoding') AS encoding,
             current_setting('synchronous_commit') AS synchronous_commit`,
  });
  const [settings] = rows;
  assert(settings, 'a SELECT without FROM has one row');
  return settings;
}

/** Which process of the database answers. */
export async function readBackend(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  const [backend] = rows;
  assert(backend, 'a SELECT without FROM has one row');
  return backend.pid;
}
