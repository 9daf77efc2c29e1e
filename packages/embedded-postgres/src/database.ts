import pg from 'pg';
import { type Cluster, SUPERUSER } from './cluster.ts';
import { codeOf, EmbeddedError, messageOf, sentence } from './embedded-error.ts';
import { PORT } from './socket-dir.ts';

const CONNECT_MS = 5_000;

export type Connection = ReturnType<typeof connectionTo>;

/** Connection options for `pg`. The host is the directory of the Unix socket. */
export function connectionTo(cluster: Cluster, database = 'freebets') {
  return { host: cluster.socketDir, port: PORT, user: SUPERUSER, database, ssl: false as const };
}

/** Creates the database if it is missing. Returns false, for a retry, if PostgreSQL is stopping or was killed. */
export async function createDatabase(cluster: Cluster): Promise<boolean> {
  const { database } = connectionTo(cluster);
  const client = new pg.Client({ ...connectionTo(cluster, 'postgres'), connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rows.length === 0) await client.query(`CREATE DATABASE ${database}`);
    return true;
  } catch (error) {
    if (isBroken(error)) return false;
    const text = `The database in ${cluster.dir} turns us away: ${sentence(messageOf(error))}`;
    throw new EmbeddedError(text, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A stop during a login fails with 57014 ("canceling authentication due to timeout"). */
function isBroken(error: unknown): boolean {
  if (/^(57P0[123]|57014|ECONNRESET|EPIPE|ENOENT|ECONNREFUSED)$/.test(codeOf(error) ?? '')) return true;
  return /^Connection terminated|^timeout expired|not queryable$/.test(messageOf(error));
}
