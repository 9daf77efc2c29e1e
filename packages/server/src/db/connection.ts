import type { Socket } from 'node:net';
import pg from 'pg';

// How the service talks to PostgreSQL. Every function of this room takes its connection first, so that nothing can
// escape its transaction by reaching for another one.

/** Whatever runs a statement: a connection in a transaction, a round trip of it, or the pool for a read by itself. */
export interface Connection {
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Result<Row>>;
}

export type Result<Row extends pg.QueryResultRow> = Pick<pg.QueryResult<Row>, 'rows' | 'rowCount' | 'command'>;

export interface ConnectionSettings {
  connection: pg.ClientConfig;
  max: number;
  /** After this long without an answer a connection counts as lost. */
  queryTimeoutMs: number;
  connectTimeoutMs?: number;
  applicationName: string;
  /** Set on every new connection. */
  session?: Record<string, string>;
  /** Set where the database knows them. */
  sessionIfKnown?: Record<string, string>;
}

// Time comes back as milliseconds, and bigint as a number: counts and cents stay far below 2^53.
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.TIMESTAMPTZ, (text) => Date.parse(`${text.replace(' ', 'T')}:00`)],
  [pg.types.builtins.INT8, Number],
]);

/** How the text of a value of this type is read. */
export const parserOf = (oid: number): ((text: string) => unknown) => parsers.get(oid) ?? pg.types.getTypeParser(oid);

const types = { getTypeParser: parserOf } as pg.CustomTypesConfig;

export function openPool(settings: ConnectionSettings): pg.Pool {
  const session = { TimeZone: 'UTC', DateStyle: 'ISO', search_path: 'public', ...settings.session };
  const literal = pg.escapeLiteral;
  const setup = [
    ...Object.entries(session).map(([name, value]) => `SET ${name} = ${literal(value)}`),
    ...Object.entries(settings.sessionIfKnown ?? {}).map(
      ([name, value]) =>
        `SELECT set_config(name, ${literal(value)}, false) FROM pg_settings WHERE name = ${literal(name)}`,
    ),
  ];
  const pool = new pg.Pool({
    ...settings.connection,
    max: settings.max,
    types,
    application_name: settings.applicationName,
    query_timeout: settings.queryTimeoutMs,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? settings.queryTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    onConnect: async (client: pg.ClientBase) => {
      await client.query(setup.join('; '));
    },
  } as pg.PoolConfig);
  // A connection that breaks is replaced by the pool, and whoever was using it learns from its query. Without a listener of
  // our own on the connection, one that breaks while it is in use would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Breaks every connection of a pool off, idle or in use, so that nobody waits for an answer that cannot come. */
export function severConnections(pool: pg.Pool): void {
  const { _clients: clients } = pool as unknown as { _clients: { connection: { stream: Socket } }[] };
  for (const client of [...clients]) client.connection.stream.destroy();
}

/** Statements are named, so that a connection parses each of them once. */
export const named =
  (name: string, text: string) =>
  (values: unknown[] = []) => ({ name, text, values });

export const begin = named('begin', 'BEGIN');
export const commit = named('commit', 'COMMIT');
export const rollback = named('rollback', 'ROLLBACK');

/** For the rest of the transaction: a statement that waits longer for a lock fails. */
export const limitLockWait = named('limit_lock_wait', "SELECT set_config('lock_timeout', $1, true)");

/** A value as PostgreSQL reads it. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(elementOf).join(',')}}` : String(value);
}

function elementOf(value: unknown): string {
  if (typeof value !== 'string') return textOf(value) ?? 'NULL';
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}

/** Several reads of one state of the world. */
export const inSnapshot = <T>(pool: pg.Pool, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, work, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

export async function inTransaction<T>(
  pool: pg.Pool,
  work: (connection: pg.PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}
