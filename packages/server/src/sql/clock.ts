import type { Instant } from '../domain/amounts.ts';
import { type Connection, named } from './connection.ts';

const select = named('read_clock', 'SELECT service_now() AS now');

/** The time by which everything is decided: the database's, so that servers with different clocks agree. */
export async function readClock(connection: Connection): Promise<Instant> {
  const { rows } = await connection.query<{ now: Instant }>(select([]));
  const [row] = rows;
  if (row === undefined) throw new Error('the database has no clock');
  return row.now;
}
