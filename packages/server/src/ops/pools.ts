import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { activeForMs } from '../background/sql/due.ts';
import { type Address, type ConnectionSettings, hasManyNodes, type NodePools } from '../engine/connection.ts';
import { planByKey } from '../engine/planning.ts';
import { openPool } from '../placement/citus/connection.ts';
import type { NodesWatch } from '../placement/citus/nodes.ts';
import type { Config } from './config.ts';

type PoolSettings = Omit<ConnectionSettings, 'connection'>;

const longestLockWaitMs = 1000;
/** Of each of its two round trips, and of the pause between them: a mark keeps a partner active for longer than all three. */
const longestTripMs = activeForMs / 6;
/** A report over months may take longer than a node would wait. */
const longestReportMs = 30_000;

/**
 * Of a connection to one node of many. Citus keeps a plan for as long, also one that was made when a table had a few rows and nothing was
 * known of it: such a plan may read all rows of a partner. Drawn for each pool, so that those of all servers are not replaced at one time.
 */
const leastUseS = 45;
const mostUseS = 75;

// Of 64 free bets, to insert them as plain values took 4.0 ms of processor time where the plan is kept, and 5.3 ms by one statement that makes a set of
// them; of 2, 0.4 and 1.9 ms (Citus 13.0.3). Where it is made anew each time, 8 rows took 1.3 and 1.7 ms, and 16 took 2.3 and 1.9 ms.
const [plainRowsOfKeptPlans, plainRowsPlannedAnew] = [64, 8];

// Partners that wait share a transaction, and the fewer there are at a time, the more share each: with six for writing
// instead of three, issues over 100 partners took between nothing and a quarter more of server and database.
const writingOf = (config: Config) => Math.max(1, Math.floor(config.DATABASE_CONNECTIONS / 3));

/**
 * So those that a server has at a time are shared out among the nodes it connects to. Of two, one that waits for a lock leaves the other to
 * the rest; but only one of them carries out what can wait.
 */
const writingAtEach = (writing: number, nodes: number) => Math.max(Math.min(2, writing), Math.ceil(writing / nodes));

/** Longer than a process is busy with something else between two statements. */
const leastIdleMs = 2000;
/** Of a transaction with many statements, as the import of a catalogue is. */
const longestTransactionMs = 60_000;

/**
 * Also outside the lanes, whoever hangs in the middle of a transaction must not hold its locks for much longer than others wait. What lasts
 * because it has much to do is not ended by that, and a transaction is limited only for when half a round trip was sent, which does not count as idle.
 */
const endsWhereItHangs = ({ REQUEST_DEADLINE_MS }: Config, statementMs: number) => ({
  session: {
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: String(Math.max(leastIdleMs, Math.min(longestTripMs, REQUEST_DEADLINE_MS))),
  },
  sessionIfKnown: { transaction_timeout: String(Math.max(longestTransactionMs, 2 * statementMs)) },
});

/** Of what there is more than one pool, where servers connect to each node of many. */
function perNode(config: Config): Record<'lanes' | 'reads' | 'background', PoolSettings> {
  const queryTimeoutMs = config.REQUEST_DEADLINE_MS;
  const timeout = String(queryTimeoutMs);
  const tripMs = Math.min(longestTripMs, queryTimeoutMs);
  const ofBackground = endsWhereItHangs(config, queryTimeoutMs);
  return {
    lanes: {
      max: writingOf(config),
      queryTimeoutMs: tripMs,
      applicationName: 'freebets lanes',
      session: {
        // Whoever waits for a lock keeps a connection from others; it is tried again until its deadline.
        lock_timeout: String(Math.min(longestLockWaitMs, tripMs)),
        // A server that hangs in the middle of a batch must not hold its locks for longer than others wait.
        statement_timeout: String(tripMs),
        idle_in_transaction_session_timeout: String(tripMs),
      },
      // Since PostgreSQL 17, and also when it hangs with half a round trip sent, which does not count as idle.
      sessionIfKnown: { transaction_timeout: String(tripMs) },
      opening: planByKey,
    },
    reads: {
      max: config.DATABASE_CONNECTIONS - writingOf(config),
      queryTimeoutMs,
      applicationName: 'freebets reads',
      // No read needs a scan of a table, whatever the planner believes about it.
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

/** Connections by what they are for, so that one kind of work never waits behind another. */
export function openPools(config: Config, connection: pg.ClientConfig) {
  const queryTimeoutMs = config.REQUEST_DEADLINE_MS;
  const { lanes, reads, background } = perNode(config);
  const ofStaff = endsWhereItHangs(config, longestReportMs);
  const staffLockWaitMs = Math.max(longestLockWaitMs, Math.min(longestTripMs, queryTimeoutMs / 5));
  return {
    lanes: openPool({ connection, ...lanes }),
    reads: openPool({ connection, ...reads }),
    background: openPool({ connection, ...background }),
    // Staff at the console: few, and not to be kept waiting by nodes. A request that waits for a lock keeps a connection from others, but
    // is not tried again: if requests may take longer, the wait may be longer too.
    staff: openPool({
      connection,
      max: 4,
      queryTimeoutMs: longestReportMs,
      applicationName: 'freebets staff',
      ...ofStaff,
      session: { ...ofStaff.session, lock_timeout: String(staffLockWaitMs) },
    }),
    // What people ask for that takes long, in turns: whatever is under way here, everybody can sign in and work. Half of them are for files.
    reports: openPool({
      connection,
      max: 6,
      queryTimeoutMs: longestReportMs,
      applicationName: 'freebets reports',
      session: {
        statement_timeout: String(longestReportMs),
        // A report of a month by campaign, game and day has 100,000 rows before they are cut to a page.
        work_mem: '32MB',
      },
    }),
    // A connection of its own, so that a busy service is not taken for an unavailable database.
    health: openPool({ connection, max: 1, queryTimeoutMs, applicationName: 'freebets health' }),
  };
}

export type Pools = ReturnType<typeof openPools>;

/**
 * Straight to the node that has the partners' rows, where that is wanted: then nothing is planned and sent on by another.
 * Opened when they are needed first; those that are needed no more close by themselves, as all that are idle do.
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
  /** Addresses change with every failover. A pool that still has connections is kept until it has none. */
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
    maxInlineRows() {
      if (!hasManyNodes({ nodes })) return 0;
      return anywhere !== undefined && nodes().keepPlans ? plainRowsOfKeptPlans : plainRowsPlannedAnew;
    },
    // Background work replaces this by its own probe.
    isUnresponsive: () => false,
  });
  const all = () => [...opened.values()].map(({ pool }) => pool);
  return {
    lanes: of('lanes'),
    reads: of('reads'),
    background: of('background'),
    /** For writing, at a time: on each node, where servers connect to each. */
    transactions,
    all,
    /** With the usual ones, by what they are for. */
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
