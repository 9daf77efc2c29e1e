import type { Socket } from 'node:net';
import pg from 'pg';

// How the service talks to PostgreSQL. Every function of this room takes its connection first, so that nothing can
// escape its transaction by reaching for another one.

/** Whatever runs a statement: a connection in a transaction, or the pool for a read by itself. */
export interface Connection {
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

export interface ConnectionSettings {
  connection: pg.ClientConfig;
  max: number;
  /** After this long without an answer a connection counts as lost. */
  queryTimeoutMs: number;
  connectTimeoutMs?: number;
  applicationName: string;
  /** For the lanes: many statements to a round trip. */
  pipeline?: boolean;
  /** Set on every new connection. */
  session?: Record<string, string>;
}

// Time comes back as milliseconds, and bigint as a number: counts and cents stay far below 2^53.
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.TIMESTAMPTZ, (text) => Date.parse(`${text.replace(' ', 'T')}:00`)],
  [pg.types.builtins.INT8, Number],
]);

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

export function openPool(settings: ConnectionSettings): pg.Pool {
  const session = { TimeZone: 'UTC', DateStyle: 'ISO', search_path: 'public', ...settings.session };
  const setup = Object.entries(session).map(([name, value]) => `SET ${name} = ${pg.escapeLiteral(value)}`);
  const pool = new pg.Pool({
    ...settings.connection,
    max: settings.max,
    types,
    application_name: settings.applicationName,
    query_timeout: settings.queryTimeoutMs,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? settings.queryTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    pipeline: settings.pipeline ?? false,
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
export const named = (name: string, text: string) => (values: unknown[]) => ({ name, text, values });

/**
 * An array of values that need no quotes: ids, numbers, times. The driver looks at every value for characters to escape,
 * which took 4 % of the time of a lane.
 */
export const plainArray = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;

/** An array of bytes, given in hex. */
export const bytesArray = (values: readonly string[]): string => `{${values.map((hex) => `"\\\\x${hex}"`).join(',')}}`;

/**
 * In an update of the rows whose key is in `keys`: the value that `values` has for the row with this key. An update that
 * joins unnest($2, …) would leave the order of the join to the planner, and on a table it believes small it walks all rows
 * of the partner: bets fell to 180 a second within 5,000 rows.
 */
export const at = (values: string, key: string, keys = '$2'): string => `(${values})[array_position(${keys}, ${key})]`;

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
