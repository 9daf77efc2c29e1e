import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { inTransaction } from './transaction.ts';

// Migrations go forward only, each file in name order and in one transaction with the note that it ran. Servers that start
// at the same moment wait for each other on the lock of the table of notes.

// A migration that begins with "-- compatible" leaves older servers working, so that a deployment can be rolled out, and
// back, server by server. Any other makes them refuse the database.

export interface Migration {
  name: string;
  sql: string;
}

const folder = new URL('./migrations/', import.meta.url);

export const migrations: Migration[] = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }));

export type MigrationResult = { ok: true; ran: string[] } | { ok: false; unknown: string[] };

/** Runs what has not run. A database changed by a newer version, in a way we do not know, is left alone. */
export function migrate(pool: pg.Pool, known: Migration[] = migrations): Promise<MigrationResult> {
  return inTransaction(pool, async (connection) => {
    // Two servers creating the table at the same moment would collide; PostgreSQL lets one wait on this lock.
    await connection.query(`DO $$ BEGIN
      CREATE TABLE IF NOT EXISTS migrations (
        name text PRIMARY KEY, compatible boolean NOT NULL, ran_at timestamptz NOT NULL DEFAULT now());
      EXCEPTION WHEN unique_violation OR duplicate_table THEN NULL; END $$`);
    await connection.query('LOCK TABLE migrations IN EXCLUSIVE MODE');
    const { rows } = await connection.query<{ name: string; compatible: boolean }>(
      'SELECT name, compatible FROM migrations ORDER BY name',
    );
    const done = new Set(rows.map((row) => row.name));
    const unknown = rows.filter((row) => !row.compatible && !known.some(({ name }) => name === row.name));
    if (unknown.length > 0) return { ok: false, unknown: unknown.map((row) => row.name) };
    const ran: string[] = [];
    for (const migration of known.filter(({ name }) => !done.has(name))) {
      await connection.query(migration.sql);
      const compatible = migration.sql.startsWith('-- compatible');
      await connection.query('INSERT INTO migrations (name, compatible) VALUES ($1, $2)', [migration.name, compatible]);
      ran.push(migration.name);
    }
    return { ok: true, ran };
  });
}
