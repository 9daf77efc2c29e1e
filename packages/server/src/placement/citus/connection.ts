import type { Pool } from 'pg';
import { type ConnectionSettings, openPool as openPlainPool } from '../../engine/connection.ts';
import { useDialect } from '../../engine/statement.ts';
import { citus } from './dialect.ts';
import { hasCitus } from './distribution.ts';

/**
 * Transactions pass their settings on to every node that they reach. One connection per node is enough and stays open.
 * With a larger pool, each statement for many nodes would open and close connections.
 */
const session = {
  'citus.propagate_set_commands': 'local',
  'citus.max_adaptive_executor_pool_size': '1',
};

/**
 * Citus needs the values of most statements to plan them, because the values decide the node. Since 13.2.1, it plans the
 * shards of its own node again at every execution of a prepared statement with a generic plan, and keeps all these plans:
 * 38 kB each, until the connection closes.
 */
const planByValues = `SELECT set_config('plan_cache_mode', CASE
  WHEN string_to_array(substring(current_setting('citus.version') FROM '^[0-9.]*[0-9]'), '.')::int[] >= '{13,2,1}'
  THEN 'force_custom_plan' ELSE 'auto' END, false)`;

/** A pool for a database that may be a Citus cluster. */
export const openPool = (settings: ConnectionSettings): Pool =>
  openPlainPool({
    ...settings,
    sessionIfKnown: { ...session, ...settings.sessionIfKnown },
    async prepare(client) {
      if (!(await hasCitus(client))) return;
      useDialect(client, citus);
      await client.query(planByValues);
    },
  });
