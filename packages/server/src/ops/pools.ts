import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { activeForMs } from '../background/sql/due.ts';
import type { Address, ConnectionSettings, NodePools } from '../engine/connection.ts';
import { planByKey } from '../engine/planning.ts';
import { openPool } from '../placement/citus/connection.ts';
import type { NodesWatch } from '../placement/citus/nodes.ts';
import type { Config } from './config.ts';

type PoolSettings = Omit<ConnectionSettings, 'connection'>;

const longestLockWaitMs = 1000;
/** Limits each of a batch's two round trips and the pause between them. A partner's mark lasts longer than all three. */
const longestTripMs = activeForMs / 6;
/** A report over months may take longer than API callers would wait. */
const longestReportMs = 30_000;

/**
 * The lifetime of a connection to one node. Citus keeps plans as long as the connection, including plans made for a
 * nearly empty table without statistics, which may read all rows of a partner. Each pool draws a random lifetime, so
 * that servers do not reconnect together.
 */
const leastUseS = 45;
const mostUseS = 75;

// Waiting partners share a transaction, and fewer concurrent transactions mean more partners in each. With six writing
// connections instead of three, issues over 100 partners cost up to a quarter more processor time of server and
// database.
const writingOf = (config: Config) => Math.max(1, Math.floor(config.DATABASE_CONNECTIONS / 3));

/**
 * Divides the writing connections of a server among the nodes it connects to. Each node gets at least two, so that one
 * can wait for a lock while the other works. Only one of them runs low-priority commands.
 */
const writingAtEach = (writing: number, nodes: number) => Math.max(Math.min(2, writing), Math.ceil(writing / nodes));

/** Longer than a process is busy with something else between two statements. */
const leastIdleMs = 2000;
/** For a transaction with many statements, such as the import of a catalogue. */
const longestTransactionMs = 60_000;

/**
 * Outside the lanes too, a client that hangs within a transaction must not hold its locks for much longer than others
 * wait. Transactions that are long because they do much work are not ended. `transaction_timeout` only covers a
 * half-sent round trip, which does not count as idle.
 */
const hangTimeouts = ({ REQUEST_DEADLINE_MS }: Config, statementMs: number) => ({
  session: {
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: String(Math.max(leastIdleMs, Math.min(longestTripMs, REQUEST_DEADLINE_MS))),
  },
  sessionIfKnown: { transaction_timeout: String(Math.max(longestTransactionMs, 2 * statementMs)) },
});

/** The settings of the pools that exist per node if servers connect directly to nodes. */
function perNode(config: Config): Record<'lanes' | 'reads' | 'background', PoolSettings> {
  const queryTimeoutMs = config.REQUEST_DEADLINE_MS;
  const timeout = String(queryTimeoutMs);
  const tripMs = Math.min(longestTripMs, queryTimeoutMs);
  const ofBackground = hangTimeouts(config, queryTimeoutMs);
  return {
    lanes: {
      max: writingOf(config),
      queryTimeoutMs: tripMs,
      applicationName: 'freebets lanes',
      session: {
        // A transaction that waits for a lock blocks a connection. It is retried until its deadline.
        lock_timeout: String(Math.min(longestLockWaitMs, tripMs)),
        // A server that hangs in the middle of a batch must not hold its locks for longer than others wait.
        statement_timeout: String(tripMs),
        idle_in_transaction_session_timeout: String(tripMs),
      },
      // PostgreSQL 17 or newer. Also covers a server that hangs after half a round trip, which does not count as idle.
      sessionIfKnown: { transaction_timeout: String(tripMs) },
      opening: planByKey,
    },
    reads: {
      max: config.DATABASE_CONNECTIONS - writingOf(config),
      queryTimeoutMs,
      applicationName: 'freebets reads',
      // No read needs a sequential scan, even if the planner's statistics suggest one.
      session: { statement_timeout: timeout, enable_seqscan: 'off' },
    },
    // Background work outside the lanes, the metrics about it, and the reference data.
    background: {
      max: 5,
      queryTimeoutMs,
      applicationName: 'freebets background',
      ...ofBackground,
      session: { ...ofBackground.session, enable_seqscan: 'off' },
    },
  };
}

/** One pool per kind of work, so that one kind never waits for another. */
export function openPools(config: Config, connection: pg.ClientConfig) {
  const queryTimeoutMs = config.REQUEST_DEADLINE_MS;
  const { lanes, reads, background } = perNode(config);
  const ofStaff = hangTimeouts(config, longestReportMs);
  const staffLockWaitMs = Math.max(longestLockWaitMs, Math.min(longestTripMs, queryTimeoutMs / 5));
  return {
    lanes: openPool({ connection, ...lanes }),
    reads: openPool({ connection, ...reads }),
    background: openPool({ connection, ...background }),
    // Staff at the console: few requests, which must not wait for API requests. A request that waits for a lock blocks
    // a connection, but is not retried, so the longer the deadline of requests, the longer the lock timeout.
    staff: openPool({
      connection,
      max: 4,
      queryTimeoutMs: longestReportMs,
      applicationName: 'freebets staff',
      ...ofStaff,
      session: { ...ofStaff.session, lock_timeout: String(staffLockWaitMs) },
    }),
    // Slow requests of staff, through fair queues. They never prevent staff from signing in and working. Half of the
    // connections are for files.
    reports: openPool({
      connection,
      max: 6,
      queryTimeoutMs: longestReportMs,
      applicationName: 'freebets reports',
      session: {
        statement_timeout: String(longestReportMs),
        // A report of a month by campaign, game and day has 100,000 rows before paging.
        work_mem: '32MB',
      },
    }),
    // A separate connection, so that a busy service is not mistaken for an unavailable database.
    health: openPool({ connection, max: 1, queryTimeoutMs, applicationName: 'freebets health' }),
  };
}

export type Pools = ReturnType<typeof openPools>;

/**
 * Connects directly to the node with a partner's rows if DATABASE_DIRECT is set, so that no other node plans and
 * forwards statements. Pools open on first use. Unused connections close like all idle connections.
 */
export function openDirectPools(
  config: Config,
  { connectionString }: pg.ClientConfig,
  pools: Pools,
  { current: nodes, doubt }: Pick<NodesWatch, 'current' | 'doubt'>,
) {
  const anywhere = config.DATABASE_DIRECT === 'yes' ? connectionString : undefined;
  const usual = perNode(config);
  const transactions = writingAtEach(usual.lanes.max, anywhere === undefined ? 1 : nodes().dueKeys.size);
  const settings = { ...usual, lanes: { ...usual.lanes, max: transactions } };
  const opened = new Map<string, { kind: string; pool: pg.Pool }>();
  const keyOf = (kind: string, { host, port }: Address) => `${kind} ${host} ${port}`;
  /** Forgets pools of old addresses, which change with every failover, once they have no connections. */
  const forgetUnused = () => {
    const addresses = [...nodes().dueKeys.keys()].flatMap((node) => nodes().addressOf(node) ?? []);
    for (const [key, { kind, pool }] of opened) {
      const isInUse = pool.totalCount + pool.waitingCount > 0;
      if (!isInUse && !addresses.some((address) => keyOf(kind, address) === key)) opened.delete(key);
    }
  };
  const of = (kind: keyof typeof settings): NodePools => ({
    nodes,
    usual: pools[kind],
    of(node) {
      const address = nodes().addressOf(node);
      if (anywhere === undefined || address === undefined) return pools[kind];
      const key = keyOf(kind, address);
      const known = opened.get(key);
      if (known !== undefined) return known.pool;
      forgetUnused();
      const direct = { connectionString: urlAt(anywhere, address) };
      const pool = openPool({ connection: direct, longestUseS: randomInt(leastUseS, mostUseS), ...settings[kind] });
      pool.on('connect', (client) => client.on('error', doubt));
      opened.set(key, { kind, pool });
      return pool;
    },
    // Background work replaces this function with its own probe.
    isUnresponsive: () => false,
  });
  const all = () => [...opened.values()].map(({ pool }) => pool);
  return {
    lanes: of('lanes'),
    reads: of('reads'),
    background: of('background'),
    /** The number of concurrent writing transactions, per node if servers connect directly to nodes. */
    transactions,
    all,
    /** The connections of usual and direct pools, by kind of work. */
    count(): Record<string, PoolCounts> {
      const found = Object.fromEntries(Object.entries(pools).map(([kind, pool]) => [kind, countsOf(pool)]));
      for (const { kind, pool } of opened.values()) add(found[kind] as PoolCounts, countsOf(pool));
      return found;
    },
    end: () => Promise.all(all().map((pool) => pool.end())),
  };
}

export interface PoolCounts {
  open: number;
  idle: number;
  waiting: number;
  most: number;
}

const countsOf = ({ totalCount, idleCount, waitingCount, options }: pg.Pool): PoolCounts => ({
  open: totalCount,
  idle: idleCount,
  waiting: waitingCount,
  most: options.max,
});

function add(to: PoolCounts, counts: PoolCounts): void {
  to.open += counts.open;
  to.idle += counts.idle;
  to.waiting += counts.waiting;
  to.most += counts.most;
}

export type DirectPools = ReturnType<typeof openDirectPools>;

function urlAt(connectionString: string, { host, port }: Address): string {
  const url = new URL(connectionString);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  return url.href;
}
