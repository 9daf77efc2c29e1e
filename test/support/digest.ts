import type pg from 'pg';

/**
 * A digest of every stored row of every table, with the transactions that wrote and locked it, and of every sequence.
 */
export async function digestOf(sql: pg.Pool): Promise<Map<string, string>> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') ORDER BY 1`,
  );
  const digests = await Promise.all(
    tables.map(async ({ name }): Promise<[string, string]> => {
      const { rows } = await sql.query(
        `SELECT count(*) || ' ' || md5(string_agg(concat_ws(' ', t.ctid, t.xmin, t.xmax, t::text), E'\n' ORDER BY t.ctid)) AS digest
         FROM "${name}" t`,
      );
      return [name, rows[0].digest];
    }),
  );
  return new Map(digests);
}
