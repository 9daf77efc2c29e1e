import type { Socket } from 'node:net';
import pg from 'pg';
import { noteConnectingFault } from './faults.ts';

// Connections to PostgreSQL. Every function that sends a statement takes its connection or pool as the first argument,
// so that no statement leaves its transaction by accident.

/** Runs a statement: a connection in a transaction, or a pool for a single read. */
export interface Connection {
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Result<Row>>;
}

/** A pool, or the part of one that a caller may use. */
export interface Connections extends Connection {
  connect(): Promise<pg.PoolClient>;
}

export type Result<Row> = { rows: Row[]; rowCount: number | null; command: string };

export interface ConnectionSettings {
  connection: pg.ClientConfig;
  max: number;
  /** A connection without a response for this long counts as lost. */
  queryTimeoutMs: number;
  connectTimeoutMs?: number;
  /** The pool replaces connections older than this. */
  longestUseS?: number;
  applicationName: string;
  /** Set on every new connection. */
  session?: Record<string, string>;
  /** Settings that older versions or other installations may not have: set only if the database has them. */
  sessionIfKnown?: Record<string, string>;
  /** SQL that every new connection runs after its settings. */
  opening?: string;
  /** Runs on every new connection after its settings and `opening`. */
  prepare?(client: pg.ClientBase): Promise<void>;
}

// Times are parsed to milliseconds, and bigint to a number, because counts and cents stay far below 2^53.
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.TIMESTAMPTZ, (text) => Date.parse(`${text.replace(' ', 'T')}:00`)],
  [pg.types.builtins.INT8, Number],
]);

/** Parses the text of a value of this type. */
export const parserOf = (oid: number): ((text: string) => unknown) => parsers.get(oid) ?? pg.types.getTypeParser(oid);

const types = { getTypeParser: parserOf } as pg.CustomTypesConfig;

// Compiling a statement (`jit`) takes 300 ms, longer than nearly every statement runs. With `enable_seqscan` off,
// PostgreSQL estimates a scan of even a tiny table as expensive enough to compile it each time. `read committed` makes
// a statement after a lock see everything that was committed before, even if the database or the role has another
// default.
const sessionDefaults = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  search_path: 'public',
  jit: 'off',
  default_transaction_isolation: 'read committed',
};

/** Marks errors during connecting, so that `isDatabaseUnavailable` recognises them. */
class Client extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (callback === undefined) {
      const connecting = super.connect();
      connecting.catch(noteConnectingFault);
      return connecting;
    }
    super.connect((error: Error) => {
      if (error) noteConnectingFault(error);
      callback(error);
    });
    return undefined;
  }
}

export function openPool(settings: ConnectionSettings): pg.Pool {
  const session = { ...sessionDefaults, ...settings.session };
  const literal = pg.escapeLiteral;
  const setup = [
    ...Object.entries(session).map(([name, value]) => `SET ${name} = ${literal(value)}`),
    ...Object.entries(settings.sessionIfKnown ?? {}).map(
      ([name, value]) =>
        `SELECT set_config(name, ${literal(value)}, false) FROM pg_settings WHERE name = ${literal(name)}`,
    ),
    ...(settings.opening === undefined ? [] : [settings.opening]),
  ];
  const pool = new pg.Pool({
    ...settings.connection,
    max: settings.max,
    types,
    Client,
    application_name: settings.applicationName,
    query_timeout: settings.queryTimeoutMs,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? settings.queryTimeoutMs,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: settings.longestUseS ?? 0,
    keepAlive: true,
    onConnect: async (client: pg.ClientBase) => {
      await client.query(setup.join('; '));
      await settings.prepare?.(client);
    },
  } as pg.PoolConfig);
  // The pool replaces a broken connection, and its current query fails. Without these listeners, the error event of a
  // broken connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Opens a connection with the settings of the pool but outside it, runs `ask` on it, and closes it. */
export async function queryOnNewConnection<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  ask: (connection: Connection) => Promise<T>,
): Promise<T> {
  const client = new Client(pool.options);
  client.on('error', () => {});
  const sever = () => streamOf(client).destroy();
  signal.addEventListener('abort', sever);
  try {
    await client.connect();
    return await ask(client);
  } finally {
    signal.removeEventListener('abort', sever);
    client.end().catch(() => {});
  }
}

const streamOf = (client: object): Socket => (client as { connection: { stream: Socket } }).connection.stream;

/**
 * Destroys every connection of a pool, idle or in use, so that queries fail at once instead of waiting for a lost
 * response.
 */
export function severConnections(pool: pg.Pool): void {
  const { _clients: clients } = pool as unknown as { _clients: object[] };
  for (const client of [...clients]) streamOf(client).destroy();
}

// Which node of the database has the rows of a partner; a single PostgreSQL is one node. An outdated map does no harm:
// a transaction spans two nodes, or a query for a partner goes to a node that is down.

export interface Address {
  host: string;
  port: number;
}

export interface Nodes {
  /** The number of the node that has the rows of this partner. */
  of(clientId: number): number;
  /** The address of a node, as the other nodes know it; undefined if there is only one. */
  addressOf(node: number): Address | undefined;
  /** The keys under which each node stores its due partners. */
  dueKeys: ReadonlyMap<number, number[]>;
}

/** One PostgreSQL has the rows of all partners. */
export const singleNode: Nodes = { of: () => 0, addressOf: () => undefined, dueKeys: new Map([[0, [0]]]) };

/** The partners on each node. */
export const byNode = (nodes: Nodes, clientIds: Iterable<number>): Map<number, number[]> =>
  Map.groupBy(clientIds, nodes.of);

/** Connections of one kind to all nodes. */
export interface NodePools {
  nodes(): Nodes;
  /** For statements about no partner, or about all. */
  usual: pg.Pool;
  /** For statements about partners of one node: its own pool if direct connections are on, else the usual one. */
  of(node: number): pg.Pool;
  /** The node has not responded for a while: background work skips it until it does. */
  isUnresponsive(node: number): boolean;
}

export const isOnUnresponsiveNode = ({ nodes, isUnresponsive }: NodePools, clientId: number): boolean =>
  isUnresponsive(nodes().of(clientId));

export const poolFor = ({ nodes, of }: NodePools, clientId: number): pg.Pool => of(nodes().of(clientId));

export const hasManyNodes = ({ nodes }: Pick<NodePools, 'nodes'>): boolean => nodes() !== singleNode;

/**
 * Keeps one object for each pool, opened on first use, so that callers waiting for a node that hangs do not hold up
 * callers of other nodes. Drops idle objects whose pool no node uses any more.
 */
export function openPerPool<T>(pools: NodePools, open: () => T, isIdle: (one: T) => boolean = () => true) {
  const opened = new Map<pg.Pool, T>();
  const forgetUnused = () => {
    const current = new Set([...pools.nodes().dueKeys.keys()].map((node) => pools.of(node)));
    for (const [pool, one] of opened) if (!current.has(pool) && isIdle(one)) opened.delete(pool);
  };
  return {
    of: (clientId: number): T =>
      opened.getOrInsertComputed(poolFor(pools, clientId), () => {
        forgetUnused();
        return open();
      }),
    all: () => [...opened.values()],
  };
}

/** Some partners on one node. */
export interface NodeGroup {
  pool: pg.Pool;
  node: number;
  clientIds: number[];
}

/**
 * A statement that names its partners twice (`isAmong`) takes longer per partner the more it names: twice as long for
 * 100 partners, six times for 500.
 */
const partnersAtATime = 100;

/**
 * A few partners of one node at a time, so that each query waits for one node only. Skips nodes that are unresponsive
 * by then.
 */
export function* groupsByNode(
  pools: NodePools,
  clientIds: Iterable<number>,
  most = partnersAtATime,
): Generator<NodeGroup, void> {
  for (const [node, some] of byNode(pools.nodes(), clientIds)) {
    for (let i = 0; i < some.length && !pools.isUnresponsive(node); i += most) {
      yield { pool: pools.of(node), node, clientIds: some.slice(i, i + most) };
    }
  }
}

/** For frequent polls: each call returns the partners of the next node, so a poll costs the same with many nodes. */
export function oneNodeAtATime(pools: NodePools): (clientIds: Iterable<number>) => Iterable<NodeGroup> {
  let turn = 0;
  return (clientIds) => {
    const all = [...pools.nodes().dueKeys.keys()];
    const node = all[turn++ % all.length] as number;
    return groupsByNode(pools, byNode(pools.nodes(), clientIds).get(node) ?? []);
  };
}
