import type pg from 'pg';
import type { Config } from '../config.ts';
import { openPool } from '../db/connection.ts';
import type { Address, Machines } from '../db/machines.ts';
import { planByKey } from '../db/planning.ts';

const longestLockWaitMs = 1000;
/** A report over months may take longer than a machine would wait. */
const longestReportMs = 30_000;

// Partners that wait share a transaction, and the fewer there are at a time, the more share each: with six for writing
// instead of three, issues over 100 partners took between nothing and a quarter more of server and database.
const writingOf = (config: Config) => Math.max(1, Math.floor(config.DATABASE_CONNECTIONS / 3));

function openLanePool(config: Config, connection: pg.ClientConfig): pg.Pool {
  const timeout = String(config.REQUEST_DEADLINE_MS);
  return openPool({
    connection,
    max: writingOf(config),
    queryTimeoutMs: config.REQUEST_DEADLINE_MS,
    applicationName: 'freebets lanes',
    session: {
      // Whoever waits for a lock keeps a connection from others; it is tried again until its deadline.
      lock_timeout: String(Math.min(longestLockWaitMs, config.REQUEST_DEADLINE_MS)),
      // A server that hangs in the middle of a batch must not hold its locks for longer than others wait.
      statement_timeout: timeout,
      idle_in_transaction_session_timeout: timeout,
    },
    // Since PostgreSQL 17, and also when it hangs with half a round trip sent, which does not count as idle.
    sessionIfKnown: { transaction_timeout: timeout },
    opening: planByKey,
  });
}

/** Connections by what they are for, so that one kind of work never waits behind another. */
export function openPools(config: Config, connection: pg.ClientConfig) {
  const queryTimeoutMs = config.REQUEST_DEADLINE_MS;
  const reading = config.DATABASE_CONNECTIONS - writingOf(config);
  const timeout = String(queryTimeoutMs);
  return {
    lanes: openLanePool(config, connection),
    reads: openPool({
      connection,
      max: reading,
      queryTimeoutMs,
      applicationName: 'freebets reads',
      // No read needs a scan of a table, whatever the planner believes about it.
      session: { statement_timeout: timeout, enable_seqscan: 'off' },
    }),
    // Background work that is not done in the lanes: who has something to do, webhooks, the search for jobs and for what has expired, activity,
    // the removal of what is old or over; and what the metrics read of it.
    worker: openPool({
      connection,
      max: 4,
      queryTimeoutMs,
      applicationName: 'freebets worker',
      session: { statement_timeout: timeout, enable_seqscan: 'off' },
    }),
    // What people do at the console: few, and not to be kept waiting by machines.
    console: openPool({
      connection,
      max: 4,
      queryTimeoutMs: longestReportMs,
      applicationName: 'freebets console',
      session: { statement_timeout: String(longestReportMs), lock_timeout: String(longestLockWaitMs) },
    }),
    // What people ask for that takes long, in turns: whatever is under way here, everybody can sign in and work.
    reports: openPool({
      connection,
      max: 3,
      queryTimeoutMs: longestReportMs,
      applicationName: 'freebets reports',
      session: {
        statement_timeout: String(longestReportMs),
        // A report of a month by campaign, game and day has 100,000 rows before they are cut to a page.
        work_mem: '32MB',
      },
    }),
    // Of its own, so that a busy service is not taken for an unavailable database.
    watch: openPool({ connection, max: 1, queryTimeoutMs, applicationName: 'freebets watch' }),
    reference: openPool({ connection, max: 1, queryTimeoutMs, applicationName: 'freebets reference' }),
  };
}

/**
 * For batches, straight to the machine that has the partners' rows, where that is wanted: then nothing is planned and sent on by
 * another. Opened when they are needed first; those that are needed no more close by themselves, as all that are idle do.
 */
export function openDirectPools(config: Config, connection: pg.ClientConfig, usual: pg.Pool, machines: () => Machines) {
  const pools = new Map<string, pg.Pool>();
  const { connectionString } = connection;
  return {
    of(machine: number): pg.Pool {
      const address = config.DATABASE_DIRECT === 'yes' ? machines().addressOf(machine) : undefined;
      if (address === undefined || connectionString === undefined) return usual;
      const url = urlAt(connectionString, address);
      const pool = pools.get(url) ?? openLanePool(config, { connectionString: url });
      pools.set(url, pool);
      return pool;
    },
    all: () => pools.values(),
    end: () => Promise.all([...pools.values()].map((pool) => pool.end())),
  };
}

function urlAt(connectionString: string, { host, port }: Address): string {
  const url = new URL(connectionString);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  return url.href;
}
