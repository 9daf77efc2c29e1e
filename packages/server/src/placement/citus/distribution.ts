import type pg from 'pg';
import type { Connection } from '../../engine/connection.ts';
import { readShards, type Shard } from './shards.ts';

// Distributes the schema over the nodes of a Citus cluster. Tables that grow are distributed by client_id and
// colocated, so that one node has all rows of a partner. Small tables are copied to every node. The state is read from
// the database itself. A database with only some tables distributed is refused, because a transaction could span two
// nodes and a small table could be missing on one.

/**
 * Tables distributed by client_id, the first column of each of their keys. A table comes after the tables that it
 * references.
 */
export const distributedTables = [
  'campaigns',
  'campaign_states',
  'campaign_players',
  'campaign_totals',
  'free_bets',
  'bets',
  'event_heads',
  'event_batches',
  'event_tails',
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
  // Last: see distribute().
  'due_partners',
] as const;

/** The due rows of a partner are on the node of its other rows, and are found by their slot. */
const columnOf = (table: (typeof distributedTables)[number]): string =>
  table === 'due_partners' ? 'slot' : 'client_id';

/** Tables that every node has a copy of. A table comes after the tables that it references. */
export const referenceTables = [
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
  'confirmations',
  'unapproved_exposure',
] as const;

export interface Distribution {
  state:
    | 'none'
    | 'whole'
    | 'half'
    /** All tables are on one node, but due partners still have slots as on a cluster. */
    | 'left';
  /** Existing tables that are not distributed as they should be. */
  missing: string[];
}

const tables = [...referenceTables, ...distributedTables];

// Partition method h: by the hash of a column. Method n with model t: a copy on every node.
const selectTables = `
  SELECT t.name, CASE
      WHEN d.partmethod = 'h' AND d.colocationid = (
        SELECT o.colocationid FROM unnest($2::text[]) WITH ORDINALITY AS g(name, place)
        JOIN pg_dist_partition o ON o.logicalrelid = to_regclass('public.' || g.name) ORDER BY g.place LIMIT 1) THEN 'growing'
      WHEN d.partmethod = 'n' AND d.repmodel = 't' THEN 'small'
      WHEN d.logicalrelid IS NOT NULL THEN 'other' END AS kind
  FROM unnest($1::text[]) AS t(name) JOIN pg_class c ON c.oid = to_regclass('public.' || t.name)
  LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid`;

const singleSlot = 'SELECT 0';

/** Reads the state without changing anything. */
export async function readDistribution(connection: Connection): Promise<Distribution> {
  const found = (await hasCitus(connection)) ? await readTables(connection) : { state: 'none' as const, missing: [] };
  return found.state === 'none' && !(await hasSingleSlot(connection)) ? { ...found, state: 'left' } : found;
}

async function hasSingleSlot(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ body: string }>({
    text: `SELECT prosrc AS body FROM pg_proc WHERE oid = to_regprocedure('public.due_slot(int)')`,
  });
  return rows.every(({ body }) => body.trim() === singleSlot);
}

async function readTables(connection: Connection): Promise<Distribution> {
  const { rows } = await connection.query<{ name: string; kind: string | null }>({
    text: selectTables,
    values: [tables, distributedTables],
  });
  const growing = new Set<string>(distributedTables);
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

// Connects to each worker as the current role, like `distribute`.
const selectWorkers = `
  SELECT n.nodename || ':' || n.nodeport AS address, coalesce(w.success, false) AS reached, w.result AS reason
  FROM pg_dist_node n LEFT JOIN run_command_on_workers('SELECT 1') w USING (nodename, nodeport)
  WHERE n.shouldhaveshards AND n.isactive ORDER BY n.groupid`;

const selectLocalAudit = `
  SELECT current_user AS name, coalesce(pg_relation_size(to_regclass('public.audit')) > 0, false) AS "hasRows",
    has_parameter_privilege('session_replication_role', 'SET') AS "maySet"`;

/** Why the tables can't be moved, as text; undefined if they can. Changes nothing. */
export async function moveObstacle(connection: Connection, to: 'one' | 'many'): Promise<string | undefined> {
  if (!(await hasCitus(connection))) return to === 'many' ? 'it has no extension "citus"' : undefined;
  const { rows: workers } = await connection.query<{ address: string; reached: boolean; reason: string }>({
    text: selectWorkers,
  });
  const unreachable = workers.find(({ reached }) => !reached);
  if (unreachable) return `the machine ${unreachable.address} cannot be reached (${unreachable.reason})`;
  if (to === 'one') return undefined;
  if (workers.length === 0) return 'no machine that can hold data was added to it';
  const { rows } = await connection.query<{ name: string; hasRows: boolean; maySet: boolean }>({
    text: selectLocalAudit,
  });
  const denied = rows.find(({ hasRows, maySet }) => hasRows && !maySet);
  return (
    denied &&
    `it has audit records, which ${denied.name} may not move: run it as a superuser, or let a superuser ` +
      `GRANT SET ON PARAMETER session_replication_role TO ${denied.name} first`
  );
}

// Sequential mode lets a distributed table reference a table that every node has. Unsafe triggers are allowed because
// of the one on the audit log, which refuses every change and so behaves the same on every node.
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

/**
 * Defines `due_slot` so that a due row is on the same shard as its partner: the slot is a number that hashes to that
 * shard.
 */
async function defineDueSlot(client: pg.PoolClient): Promise<void> {
  const shards = await readShards(client);
  const numbers = (of: (shard: Shard) => number | null) =>
    `'{${shards.map((shard) => of(shard) ?? 'NULL').join(',')}}'::int[]`;
  const place = `(${numbers(({ slot }) => slot)})[width_bucket(hashint4(client), ${numbers(({ low }) => low)})]`;
  await client.query(dueSlotFunction(`SELECT coalesce(${place}, client)`));
}

const dueSlotFunction = (body: string): string =>
  `CREATE OR REPLACE FUNCTION due_slot(client int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ ${body} $$`;

/** Removes the rows that a table had before it was distributed. They stay behind and are no longer visible. */
async function removeLocalRows(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT t.name FROM unnest($1::text[]) AS t(name) WHERE pg_relation_size(to_regclass('public.' || t.name)) > 0`,
    [tables],
  );
  // The triggers of the audit log refuse its removal. The owner of the tables seldom has this right, and needs it only
  // here.
  if (rows.some(({ name }) => name === 'audit')) await client.query('SET session_replication_role = replica');
  for (const { name } of rows) {
    await client.query('SELECT truncate_local_data_after_distributing_table($1)', [name]);
  }
}

/**
 * Distributes the tables one by one, each in its own transaction, so that an interrupted run can continue. Returns the
 * tables it moved.
 */
export async function distribute(pool: pg.Pool): Promise<string[]> {
  const { missing } = await readDistribution(pool);
  const client = await pool.connect();
  try {
    for (const setting of settings) await client.query(setting);
    for (const { name } of (await client.query<{ name: string }>(selectFunctions)).rows) {
      await client.query('SELECT create_distributed_function($1)', [name]);
    }
    for (const name of referenceTables.filter((each) => missing.includes(each))) {
      await client.query('SELECT create_reference_table($1)', [name]);
    }
    let like: string = distributedTables.find((each) => !missing.includes(each)) ?? 'none';
    for (const name of distributedTables) {
      // Before the last table: once that is distributed, servers start on the schema.
      if (name === 'due_partners') await defineDueSlot(client);
      if (!missing.includes(name)) continue;
      await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [name, columnOf(name), like]);
      if (like === 'none') like = name;
    }
    await removeLocalRows(client);
  } finally {
    // Closes the connection, which has other settings.
    client.release(true);
  }
  return tables.filter((each) => missing.includes(each));
}

const selectOnMany = `
  SELECT t.name FROM unnest($1::text[]) AS t(name) JOIN pg_dist_partition d ON d.logicalrelid = to_regclass('public.' || t.name)`;

/**
 * Moves all tables back to the node that runs this, and gives all due partners one slot. An interrupted run can
 * continue. On a PostgreSQL with copied data, only the slots are left to change. Returns the tables it moved.
 */
export async function undistribute(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  const findOnMany = async () => (await client.query<{ name: string }>(selectOnMany, [tables])).rows;
  try {
    const isOnMany = await hasCitus(client);
    for (const setting of isOnMany ? settings : []) await client.query(setting);
    const all = isOnMany ? await findOnMany() : [];
    // Tables that reference each other move together.
    for (let [next] = all; next !== undefined; [next] = await findOnMany()) {
      await client.query('SELECT undistribute_table($1, cascade_via_foreign_keys => true)', [next.name]);
    }
    // The survey at the start of every server marks partners with work active.
    const gather = `BEGIN; ${dueSlotFunction(singleSlot)}; TRUNCATE due_partners; COMMIT`;
    if (!(await hasSingleSlot(client))) await client.query(gather);
    return all.map(({ name }) => name);
  } finally {
    client.release(true);
  }
}
