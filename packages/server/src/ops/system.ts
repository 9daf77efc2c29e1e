import type { SystemGetResponse } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Backlog } from '../events/webhooks/sql/webhooks.ts';
import { cacheFor } from '../primitives/cache-for.ts';
import { version } from '../primitives/version.ts';
import type { PoolCounts } from './pools.ts';
import type { Recent } from './recent.ts';
import { readDatabaseState } from './sql/system.ts';

export interface SystemParts {
  pool: Pool;
  /** Connections by pool. */
  pools(): Record<string, PoolCounts>;
  recent: Recent;
  laneDepth(): number;
  isDatabaseUp(): boolean;
  backlog(): Promise<Backlog>;
  /** In seconds. */
  activityLag(): Promise<number>;
  jobsRunning(): number;
}

const keptMs = 1000;

/** The state of the service, at most a second old. All viewers share one read. */
export const openSystem = (parts: SystemParts): (() => Promise<SystemGetResponse>) =>
  cacheFor(keptMs, () => readSystem(parts));

async function readSystem(parts: SystemParts): Promise<SystemGetResponse> {
  const { pool, pools, recent, laneDepth, isDatabaseUp, backlog, activityLag, jobsRunning } = parts;
  const isUp = isDatabaseUp();
  // Shows values that can't be read as unknown, so that viewers can still see that the database is down.
  const [database, webhooks, lag_s] = isUp
    ? await Promise.all([
        readDatabaseState(pool).catch(() => null),
        backlog().catch(() => null),
        activityLag().catch(() => null),
      ])
    : [null, null, null];
  const { requests, lanes } = recent.read();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    version,
    uptime_s: Math.floor(process.uptime()),
    memory: { resident_bytes: rss, heap_bytes: heapUsed },
    requests,
    lanes: { depth: laneDepth(), ...lanes },
    database: {
      is_up: isUp,
      version: database?.version ?? null,
      size_bytes: database?.size_bytes ?? null,
      connections: pools(),
    },
    webhooks: webhooks && { waiting: webhooks.waiting, oldest_s: webhooks.oldest_s },
    sweeper: database && { overdue: database.overdue },
    jobs: { running: jobsRunning() },
    activity: { lag_s },
  };
}
