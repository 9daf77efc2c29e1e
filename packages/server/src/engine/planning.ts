import { named, type Statement } from './statement.ts';

/** Citus can't plan most statements without their values, which decide the node. */
const mode = `CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN current_setting('plan_cache_mode')
  ELSE 'force_generic_plan' END`;

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
