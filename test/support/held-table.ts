import type pg from 'pg';

/** Locks the table against reads during the work. */
export async function whileHeld<T>(sql: pg.Pool, table: string, work: () => Promise<T>): Promise<T> {
  const holder = await sql.connect();
  await holder.query('BEGIN');
  await holder.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    return await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}
