import type pg from 'pg';
import type { Connection } from '../../engine/connection.ts';
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
  'event_tails',
  'webhooks',
  'webhook_receipts',
  'webhook_deliveries',
  'sandbox_clocks',
  'jobs',
  'job_parts',
  'job_refusals',
  'job_quotas',
  'audit_heads',
  'audit',
  'activity_heads',
  'activity',
  // Last: see distribute().
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
  'confirmations',
  'unapproved_exposure',
] as const;

export interface Distribution {
  state:
    | 'none'
    | 'whole'
    | 'half'
    /** On one machine, and what is due is still looked up as if there were many. */
    | 'left';
  /** Those that are there, and are not as they are to be on many machines. */
  missing: string[];
}

const tables = [...smallTables, ...growingTables];

// Method h: by the hash of a column; n with the model t: a copy on every machine.
const selectTables = `
  SELECT t.name, CASE
      WHEN d.partmethod = 'h' AND d.colocationid = (
        SELECT o.colocationid FROM unnest($2::text[]) WITH ORDINALITY AS g(name, place)
        JOIN pg_dist_partition o ON o.logicalrelid = to_regclass('public.' || g.name) ORDER BY g.place LIMIT 1) THEN 'growing'
      WHEN d.partmethod = 'n' AND d.repmodel = 't' THEN 'small'
      WHEN d.logicalrelid IS NOT NULL THEN 'other' END AS kind
  FROM unnest($1::text[]) AS t(name) JOIN pg_class c ON c.oid = to_regclass('public.' || t.name)
  LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid`;

const placeOnOne = 'SELECT 0';

/** Changes nothing. */
export async function readDistribution(connection: Connection): Promise<Distribution> {
  const found = (await hasCitus(connection)) ? await readTables(connection) : { state: 'none' as const, missing: [] };
  return found.state === 'none' && !(await isDueOnOne(connection)) ? { ...found, state: 'left' } : found;
}

async function isDueOnOne(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ body: string }>({
    text: `SELECT prosrc AS body FROM pg_proc WHERE oid = to_regprocedure('public.due_slot(int)')`,
  });
  return rows.every(({ body }) => body.trim() === placeOnOne);
}

async function readTables(connection: Connection): Promise<Distribution> {
  const { rows } = await connection.query<{ name: string; kind: string | null }>({
    text: selectTables,
    values: [tables, growingTables],
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

// Connects to each worker as the current role, as distributing does.
const selectWorkers = `
  SELECT n.nodename || ':' || n.nodeport AS address, coalesce(w.success, false) AS reached, w.result AS reason
  FROM pg_dist_node n LEFT JOIN run_command_on_workers('SELECT 1') w USING (nodename, nodeport)
  WHERE n.shouldhaveshards AND n.isactive ORDER BY n.groupid`;

const selectLocalAudit = `
  SELECT current_user AS name, coalesce(pg_relation_size(to_regclass('public.audit')) > 0, false) AS "hasRows",
    has_parameter_privilege('session_replication_role', 'SET') AS "maySet"`;

/** Why the tables can't be moved, in words; undefined if they can. Changes nothing. */
export async function obstacleToMoving(connection: Connection, to: 'one' | 'many'): Promise<string | undefined> {
  if (!(await hasCitus(connection))) return to === 'many' ? 'it has no extension "citus"' : undefined;
  const { rows: workers } = await connection.query<{ address: string; reached: boolean; reason: string }>({
    text: selectWorkers,
  });
  const lost = workers.find(({ reached }) => !reached);
  if (lost) return `the machine ${lost.address} cannot be reached (${lost.reason})`;
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
  const place = `(${numbers(({ slot }) => slot)})[width_bucket(hashint4(client), ${numbers(({ low }) => low)})]`;
  await client.query(duePlacedBy(`SELECT coalesce(${place}, client)`));
}

const duePlacedBy = (body: string): string =>
  `CREATE OR REPLACE FUNCTION due_slot(client int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ ${body} $$`;

/** What a table had before it was distributed stays where it was, unseen. */
async function removeLocalRows(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT t.name FROM unnest($1::text[]) AS t(name) WHERE pg_relation_size(to_regclass('public.' || t.name)) > 0`,
    [tables],
  );
  // The triggers of the audit log refuse its removal. The owner of the tables seldom has this right, and needs it only here.
  if (rows.some(({ name }) => name === 'audit')) await client.query('SET session_replication_role = replica');
  for (const { name } of rows) {
    await client.query('SELECT truncate_local_data_after_distributing_table($1)', [name]);
  }
}

/**
 * Makes every table what it is to be, one after the other, each in a transaction of its own: broken off, it goes on where it was. The
 * tables that it did.
 */
export async function distribute(pool: pg.Pool): Promise<string[]> {
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
    let like: string = growingTables.find((each) => !missing.includes(each)) ?? 'none';
    for (const name of growingTables) {
      // Before the last table: once that is distributed, servers start on the schema.
      if (name === 'due_partners') await placeWhatIsDue(client);
      if (!missing.includes(name)) continue;
      await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [name, columnOf(name), like]);
      if (like === 'none') like = name;
    }
    await removeLocalRows(client);
  } finally {
    // With its settings.
    client.release(true);
  }
  return tables.filter((each) => missing.includes(each));
}

const selectOnMany = `
  SELECT t.name FROM unnest($1::text[]) AS t(name) JOIN pg_dist_partition d ON d.logicalrelid = to_regclass('public.' || t.name)`;

/**
 * The way back: all tables on the machine that is asked, and what is due in one place. Broken off, it goes on where it was; on a
 * PostgreSQL to which the data was brought by a copy, only the last is left to do. The tables that were on many.
 */
export async function undistribute(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  const findOnMany = async () => (await client.query<{ name: string }>(selectOnMany, [tables])).rows;
  try {
    const isOnMany = await hasCitus(client);
    for (const setting of isOnMany ? settings : []) await client.query(setting);
    const all = isOnMany ? await findOnMany() : [];
    // Those that refer to each other go together.
    for (let [next] = all; next !== undefined; [next] = await findOnMany()) {
      await client.query('SELECT undistribute_table($1, cascade_via_foreign_keys => true)', [next.name]);
    }
    // The survey at the start of every server marks partners with work active.
    const gather = `BEGIN; ${duePlacedBy(placeOnOne)}; TRUNCATE due_partners; COMMIT`;
    if (!(await isDueOnOne(client))) await client.query(gather);
    return all.map(({ name }) => name);
  } finally {
    client.release(true);
  }
}
