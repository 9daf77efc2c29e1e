import type pg from 'pg';
import type { Connection } from './connection.ts';
import { type Part, readParts } from './parts.ts';

// The schema spread over many machines by Citus: tables that grow are distributed by client_id, all in the same way, so that
// whatever belongs to a partner is on one machine; those that are small are on every machine. That it is so is asked of the
// database itself. One where only some tables are is refused: a transaction would be on two machines, or a table on one alone.

/** Each key of these begins with client_id. What refers to another comes behind it. */
export const growingTables = [
  'campaigns',
  'campaign_states',
  'campaign_players',
  'campaign_totals',
  'free_bets',
  'bets',
  'event_heads',
  'event_batches',
  'webhooks',
  'webhook_receipts',
  'webhook_deliveries',
  'sandbox_clocks',
  'jobs',
  'job_parts',
  'job_refusals',
  'audit_heads',
  'audit',
  'activity_heads',
  'activity',
  'due_partners',
] as const;

/** What is due stands beside what the partner has, and is found by its place. */
const columnOf = (table: (typeof growingTables)[number]): string => (table === 'due_partners' ? 'slot' : 'client_id');

/** What refers to another comes behind it. */
export const smallTables = [
  'migrations',
  'partners',
  'providers',
  'games',
  'offers',
  'reference',
  'reference_changes',
  'staff',
  'staff_partners',
  'recovery_codes',
  'sessions',
  'invitations',
  'sign_in_failures',
  'sso_attempts',
  'drafts',
  'unapproved_exposure',
] as const;

export interface Distribution {
  state: 'none' | 'whole' | 'half';
  /** Those that are there, and are not as they are to be on many machines. */
  missing: string[];
}

const tables = [...smallTables, ...growingTables];

// Method h: by the hash of a column; n with the model t: a copy on every machine.
const selectTables = `
  SELECT t.name, CASE
      WHEN d.partmethod = 'h' AND d.colocationid = (
        SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = to_regclass('public.${growingTables[0]}')) THEN 'growing'
      WHEN d.partmethod = 'n' AND d.repmodel = 't' THEN 'small'
      WHEN d.logicalrelid IS NOT NULL THEN 'other' END AS kind
  FROM unnest($1::text[]) AS t(name) JOIN pg_class c ON c.oid = to_regclass('public.' || t.name)
  LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid`;

/** Changes nothing. */
export async function readDistribution(connection: Connection): Promise<Distribution> {
  if (!(await hasCitus(connection))) return { state: 'none', missing: [] };
  const { rows } = await connection.query<{ name: string; kind: string | null }>({
    text: selectTables,
    values: [tables],
  });
  const growing = new Set<string>(growingTables);
  const missing = rows.filter(({ name, kind }) => kind !== (growing.has(name) ? 'growing' : 'small'));
  const isNone = rows.every(({ kind }) => kind === null);
  return {
    state: isNone ? 'none' : missing.length > 0 ? 'half' : 'whole',
    missing: missing.map(({ name }) => name),
  };
}

export async function hasCitus(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query({ text: `SELECT FROM pg_extension WHERE extname = 'citus'` });
  return rows.length > 0;
}

/** The machines that data can be on, the coordinator not counted. */
async function countWorkers(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ workers: number }>({
    text: 'SELECT count(*)::int AS workers FROM pg_dist_node WHERE shouldhaveshards AND isactive',
  });
  return rows[0]?.workers ?? 0;
}

/** Why it cannot be done, in words. */
class CannotDistribute extends Error {}

// One machine after the other, so that a table may refer to one that is on all of them. That triggers are allowed is said for the
// one of the record, which refuses every change and so does the same on any machine.
const settings = [
  `SET citus.multi_shard_modify_mode = 'sequential'`,
  'SET citus.enable_unsafe_triggers = on',
  'SET client_min_messages = warning',
];

const selectFunctions = `
  SELECT p.oid::regprocedure::text AS name FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid)
  ORDER BY 1`;

/** By the hash of a partner, as its rows are; the number that stands for a part of the data is one that is in it. */
async function placeWhatIsDue(client: pg.PoolClient): Promise<void> {
  const parts = await readParts(client);
  const numbers = (of: (part: Part) => number | null) =>
    `'{${parts.map((part) => of(part) ?? 'NULL').join(',')}}'::int[]`;
  await client.query(`CREATE OR REPLACE FUNCTION due_slot(client int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce((${numbers(({ slot }) => slot)})[width_bucket(hashint4(client), ${numbers(({ low }) => low)})], client) $$`);
}

/** What a table had before it was distributed stays where it was, unseen. */
async function removeLocalRows(client: pg.PoolClient): Promise<void> {
  // The record refuses to be changed; what is removed here is a copy that nobody reads.
  await client.query('SET session_replication_role = replica');
  const { rows } = await client.query<{ name: string }>(
    `SELECT t.name FROM unnest($1::text[]) AS t(name) WHERE pg_relation_size(to_regclass('public.' || t.name)) > 0`,
    [tables],
  );
  for (const { name } of rows) {
    await client.query('SELECT truncate_local_data_after_distributing_table($1)', [name]);
  }
}

/**
 * Makes every table what it is to be, one after the other, each in a transaction of its own: broken off, it goes on where it was. The
 * tables that it did.
 */
export async function distribute(pool: pg.Pool): Promise<string[]> {
  if (!(await hasCitus(pool))) {
    throw new CannotDistribute('it has no extension "citus"');
  }
  if ((await countWorkers(pool)) === 0) throw new CannotDistribute('no machine was added to it that data can be on');
  const { missing } = await readDistribution(pool);
  const client = await pool.connect();
  try {
    for (const setting of settings) await client.query(setting);
    for (const { name } of (await client.query<{ name: string }>(selectFunctions)).rows) {
      await client.query('SELECT create_distributed_function($1)', [name]);
    }
    for (const name of smallTables.filter((each) => missing.includes(each))) {
      await client.query('SELECT create_reference_table($1)', [name]);
    }
    for (const name of growingTables.filter((each) => missing.includes(each))) {
      const like = name === growingTables[0] ? 'none' : growingTables[0];
      await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [name, columnOf(name), like]);
    }
    await placeWhatIsDue(client);
    await removeLocalRows(client);
  } finally {
    // With its settings.
    client.release(true);
  }
  return tables.filter((each) => missing.includes(each));
}
