import type pg from 'pg';

const now = 'world_now() RETURNS timestamptz LANGUAGE sql STABLE';
/** The default of columns, and the statement that a transaction sends before it waits for a lock. */
const nowByDefault = 'service_now() RETURNS timestamptz LANGUAGE sql VOLATILE';

/** Stops the clock of this database at an instant; null lets it run again. It applies to every server at once. */
export async function setClock(sql: pg.Pool, iso: string | null): Promise<void> {
  const at = (real: string) =>
    iso === null ? `date_trunc('milliseconds', ${real}())` : `timestamptz '${new Date(iso).toISOString()}'`;
  await sql.query(`CREATE OR REPLACE FUNCTION ${now} AS $$ SELECT ${at('statement_timestamp')} $$`);
  await sql.query(`CREATE OR REPLACE FUNCTION ${nowByDefault} AS $$ SELECT ${at('clock_timestamp')} $$`);
}

/** An instant this many milliseconds after another. */
export const later = (iso: string, ms: number): string => new Date(Date.parse(iso) + ms).toISOString();
