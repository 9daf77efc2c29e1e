import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { inTransaction } from '../../engine/transaction.ts';
import { readDistribution } from '../../placement/citus/distribution.ts';

// Migrations only go forward, in the order of their names. Each runs in its own transaction, which also inserts its row
// with a checksum into the table `migrations`. After a crash, the next start continues after the last committed
// migration. Servers that start at the same time wait for each other on the lock of that table, migration by migration.

// A migration that begins with "-- compatible" keeps older servers working, so that a deployment can be rolled out and
// rolled back server by server. After any other migration, older servers refuse the database.

export interface Migration {
  name: string;
  sql: string;
}

const folder = new URL('./migrations/', import.meta.url);

export const migrations: Migration[] = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }));

/**
 * How the schema of a database compares with this program's migrations, and the names of the migrations that differ.
 */
export interface Schema {
  state:
    | 'current'
    /** Some migrations of this program have not run. */
    | 'older'
    /** Incompatible migrations ran that this program does not have. */
    | 'newer'
    /** Some migrations ran with a different content. */
    | 'changed';
  names: string[];
}

interface Note {
  name: string;
  compatible: boolean;
  /** Null if a version without checksums ran the migration. */
  checksum: string | null;
}

// Reads the checksum through JSON, because the column is missing if a version without checksums migrated last.
const selectNotes = `SELECT name, compatible, to_jsonb(m) ->> 'checksum' AS checksum FROM migrations m ORDER BY name`;

const undefinedTable = '42P01';

/** Reads the state of the schema without changing it. */
export async function readSchema(pool: pg.Pool, known: Migration[] = migrations): Promise<Schema> {
  const { rows } = await pool.query<Note>(selectNotes).catch((error: Error & { code?: string }) => {
    if (error.code === undefinedTable) return { rows: [] };
    throw error;
  });
  return compare(rows, known);
}

export interface Ownership {
  /** The owner of the tables, and of new tables that migrations add. */
  owner: string;
  /** The current role. */
  name: string;
  /** Whether the current role has the rights of the owner, which every change of a table requires. */
  isOwner: boolean;
}

/** In an empty database, a superuser creates the tables for the database owner: servers rarely run as a superuser. */
export async function readOwnership(pool: pg.Pool): Promise<Ownership> {
  const { rows } = await pool.query<Ownership>(
    `SELECT pg_get_userbyid(o.owner) AS owner, r.rolname AS name, pg_has_role(o.owner, 'USAGE') AS "isOwner"
     FROM pg_roles r CROSS JOIN LATERAL (SELECT coalesce(
       (SELECT relowner FROM pg_class WHERE oid = to_regclass('migrations')),
       (SELECT datdba FROM pg_database WHERE datname = current_database() AND r.rolsuper),
       r.oid) AS owner) o
     WHERE r.rolname = current_user`,
  );
  const [ownership] = rows;
  assert(ownership, 'every connection has a role');
  return ownership;
}

function compare(notes: Note[], known: Migration[]): Schema {
  const ran = new Map(notes.map((note) => [note.name, note]));
  const names = (migrations: { name: string }[]) => migrations.map(({ name }) => name);
  const unknown = notes.filter((note) => !note.compatible && !known.some(({ name }) => name === note.name));
  if (unknown.length > 0) return { state: 'newer', names: names(unknown) };
  const changed = known.filter((migration) => {
    const checksum = ran.get(migration.name)?.checksum ?? null;
    return checksum !== null && checksum !== checksumOf(migration);
  });
  if (changed.length > 0) return { state: 'changed', names: names(changed) };
  const pending = known.filter(({ name }) => !ran.has(name));
  return { state: pending.length > 0 ? 'older' : 'current', names: names(pending) };
}

const checksumOf = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex');

export interface MigrationResult {
  /** Current, unless the database was not migrated because it is newer or was changed. */
  schema: Schema;
  /** The migrations that this call ran. Another server may have run others meanwhile. */
  ran: string[];
}

/** Runs pending migrations. Does not touch a database that a newer version has migrated incompatibly. */
export async function migrate(pool: pg.Pool, known: Migration[] = migrations): Promise<MigrationResult> {
  const isDistributed = (await readDistribution(pool)).state === 'whole';
  if (!isDistributed) await pool.query(makeNotes);
  const ran: string[] = [];
  for (;;) {
    const schema = await inTransaction(pool, (connection) => runNext(connection, known, isDistributed));
    const [next] = schema.names;
    if (schema.state !== 'older' || next === undefined) return { schema, ran };
    ran.push(next);
  }
}

// Ignores the errors of two servers that create the table at once: PostgreSQL lets one wait for the other.
const makeNotes = `DO $$ BEGIN
    CREATE TABLE IF NOT EXISTS migrations (
      name text PRIMARY KEY, compatible boolean NOT NULL, ran_at timestamptz NOT NULL DEFAULT now());
    EXCEPTION WHEN unique_violation OR duplicate_table OR duplicate_object THEN NULL; END $$;
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'migrations'::regclass AND attname = 'checksum') THEN
      ALTER TABLE migrations ADD COLUMN IF NOT EXISTS checksum text;
      COMMENT ON COLUMN migrations.checksum IS 'SHA-256 of what was run, in hexadecimal';
    END IF; END $$`;

/** Runs the first pending migration, unless the schema is newer or was changed. Returns the schema before it. */
async function runNext(connection: pg.PoolClient, known: Migration[], isDistributed: boolean): Promise<Schema> {
  await connection.query('LOCK TABLE migrations IN EXCLUSIVE MODE');
  const { rows } = await connection.query<Note>(selectNotes);
  const schema = compare(rows, known);
  if (schema.state === 'newer' || schema.state === 'changed') return schema;
  for (const migration of known.filter(({ name }) => rows.some((note) => note.name === name && !note.checksum))) {
    await connection.query('UPDATE migrations SET checksum = $2 WHERE name = $1', [
      migration.name,
      checksumOf(migration),
    ]);
  }
  const next = known.find(({ name }) => name === schema.names[0]);
  if (next !== undefined) await run(connection, next, isDistributed);
  return schema;
}

/** A distributed database needs one statement at a time, run on one machine after another. */
const stepsOf = ({ sql }: Migration, isDistributed: boolean): string[] =>
  isDistributed ? [`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`, ...statementsIn(sql)] : [sql];

async function run(connection: pg.PoolClient, migration: Migration, isDistributed: boolean): Promise<void> {
  for (const step of stepsOf(migration, isDistributed)) {
    await connection.query(step).catch((cause: Error) => {
      throw new Error(`${migration.name} failed (${cause.message})`, { cause });
    });
  }
  await connection.query('INSERT INTO migrations (name, compatible, checksum) VALUES ($1, $2, $3)', [
    migration.name,
    migration.sql.startsWith('-- compatible'),
    checksumOf(migration),
  ]);
}

/** Parts in which a semicolon does not end a statement: comments, strings, quoted names and dollar-quoted bodies. */
const quoted = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1/y;

/** Splits a file into its statements. */
export function statementsIn(sql: string): string[] {
  const statements: string[] = [];
  let from = 0;
  for (let i = 0; i < sql.length; ) {
    quoted.lastIndex = i;
    const skipped = quoted.exec(sql)?.[0];
    if (skipped !== undefined) {
      i += skipped.length;
    } else {
      i += 1;
      if (sql[i - 1] !== ';') continue;
      statements.push(sql.slice(from, i));
      from = i;
    }
  }
  return [...statements, sql.slice(from)].map((each) => each.trim()).filter((each) => withoutComments(each) !== '');
}

const withoutComments = (text: string): string => text.replace(/--[^\n]*/g, '').trim();
