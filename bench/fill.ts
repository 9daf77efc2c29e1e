import { query } from './server.ts';

/**
 * Fills tables with one statement each, in the order of their keys. Builds the other indexes of the first table
 * afterwards: row by row, five million rows take ten minutes.
 */
export async function fill(
  socketDir: string,
  database: string,
  table: string,
  ...statements: [string, ...string[]]
): Promise<void> {
  const memory = `SET work_mem = '512MB'; SET maintenance_work_mem = '512MB';`;
  const run = (statement: string) => query(socketDir, database, memory + statement);
  const { rows } = await query(
    socketDir,
    database,
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE schemaname = 'public' AND tablename = '${table}' AND indexname NOT LIKE '%pkey'`,
  );
  for (const { indexname } of rows) await run(`DROP INDEX ${indexname}`);
  await Promise.all(statements.map(run));
  await Promise.all(rows.map(({ indexdef }) => run(indexdef)));
  await query(socketDir, database, `VACUUM (ANALYZE) ${table}`);
}
