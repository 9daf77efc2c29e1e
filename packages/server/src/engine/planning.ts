import type { Connection } from './connection.ts';
import { named, type Statement } from './statement.ts';

/** A database of many machines cannot plan most statements without their values, for the machine that has the rows. */
const mode = `CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN current_setting('plan_cache_mode')
  ELSE 'force_generic_plan' END`;

/**
 * Since 13.2.1, Citus makes a plan for the rows that are on the machine it is asked on at every execution of a statement that is planned one
 * time, and keeps them all: 38 kB each, until the connection is closed.
 */
const plansPileUp = `string_to_array(substring(current_setting('citus.version', true) FROM '^[0-9.]*[0-9]'), '.')::int[] >= '{13,2,1}'`;

/** For a connection to such a database. */
export const planAnewWherePlansPileUp = `SELECT set_config('plan_cache_mode', 'force_custom_plan', false) FROM pg_extension
  WHERE extname = 'citus' AND ${plansPileUp}`;

/** Of a database of many machines: whether the one that has the rows plans a statement of one table and plain values one time. */
export async function keepsPlans(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ piles_up: boolean }>({ text: `SELECT ${plansPileUp} AS piles_up` });
  return rows.every((row) => !row.piles_up);
}

const set = (isLocal: boolean) =>
  `SELECT set_config('plan_cache_mode', ${mode}, ${isLocal}), ${[
    'enable_seqscan',
    'enable_hashjoin',
    'enable_mergejoin',
    'enable_sort',
  ]
    .map((name) => `set_config('${name}', 'off', ${isLocal})`)
    .join(', ')}`;

/**
 * For a connection. Every statement of a lane looks rows up by primary key, and the indexes allow no other way (see the schema), so a
 * plan made once stays right however the tables grow. Not planning each time gave 1.3 × at 64 connections, and 1.3 ms instead of
 * 1.7 ms for one.
 */
export const planByKey = set(false);

const setHere = named('plan_by_key', set(true));

/** The same for the rest of a transaction. */
export const planByKeyFromHere = (): Statement => setHere();
