import { named, type Statement } from './statement.ts';

/** A database of many machines plans anew in any case, for the machine that has the rows, and cannot without the values. */
const mode = `CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END`;

const set = (isLocal: boolean) =>
  `SELECT set_config('plan_cache_mode', ${mode}, ${isLocal}), ${[
    'enable_seqscan',
    'enable_hashjoin',
    'enable_mergejoin',
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
