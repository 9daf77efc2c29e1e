import type pg from 'pg';

const realClock = `date_trunc('milliseconds', clock_timestamp())`;

/** Stops the clock of this database at an instant; null lets it run again. Every server on it follows at once. */
export async function setClock(sql: pg.Pool, iso: string | null): Promise<void> {
  const now = iso === null ? realClock : `timestamptz '${new Date(iso).toISOString()}'`;
  await sql.query(
    `CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT ${now} $$`,
  );
}

/** An instant so many milliseconds from another. */
export const later = (iso: string, ms: number): string => new Date(Date.parse(iso) + ms).toISOString();
