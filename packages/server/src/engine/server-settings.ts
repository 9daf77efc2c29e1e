import assert from 'node:assert/strict';
import type { Connection } from './connection.ts';

export interface DatabaseSettings {
  version_number: number;
  encoding: string;
  fsync: string;
  synchronous_commit: string;
}

/** The settings that show whether the service can rely on this database. */
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

/** The process id of the database backend of this connection. */
export async function readBackend(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  const [backend] = rows;
  assert(backend, 'a SELECT without FROM has one row');
  return backend.pid;
}
