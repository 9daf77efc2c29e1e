import type pg from 'pg';
import type { Connections } from './connection.ts';
import { inOneTrip, type TripResults } from './round-trip.ts';
import { ask, named, type Statement } from './statement.ts';

export const begin = named('begin', 'BEGIN');
/** What became of it: PostgreSQL answers ROLLBACK when the transaction had failed. */
export const commit = (): Statement<string> => ({
  name: 'commit',
  text: 'COMMIT',
  values: [],
  read: ({ command }) => command,
});
export const rollback = named('rollback', 'ROLLBACK');

/** For the rest of the transaction: a statement that waits longer for a lock fails. A SET is passed on to other machines, set_config() is not. */
export const limitLockWait = (ms: number): Statement =>
  named(`limit_lock_wait_${ms}`, `SET LOCAL lock_timeout = ${ms}`)();

const beginSnapshot = named('begin_snapshot', 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

/** Several reads of one state of the world. */
export const inSnapshot = <T>(pool: pg.Pool, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, work, beginSnapshot().text);

export const inTransaction = <T>(
  pool: Connections,
  work: (connection: pg.PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> =>
  orRolledBack(pool, async (client) => {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });

/** Where the work fails, what it began is rolled back, and its connection is not used again. */
async function orRolledBack<T>(pool: Connections, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}

/** Several reads of one state of the world, in one round trip. */
export async function inOneSnapshot(pool: pg.Pool, statements: readonly Statement[]): Promise<TripResults> {
  const client = await pool.connect();
  try {
    const answers = await inOneTrip(client, [beginSnapshot(), ...statements, commit()]);
    client.release();
    return answers;
  } catch (error) {
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}

/** All of them or none, in one round trip. */
export const inOneTransaction = (pool: pg.Pool, statements: readonly Statement[]): Promise<TripResults> =>
  orRolledBack(pool, (client) => inOneTrip(client, [begin(), ...statements, commit()]));

/**
 * Reads behind the opening, and by what was found writes and commits: in two round trips. Without anything to write, the transaction is rolled back.
 */
export const decideInTransaction = <Found, T>(
  pool: pg.Pool,
  opening: Statement,
  reading: Statement<Found>,
  decide: (found: Found) => { writes: Statement[]; result: T },
): Promise<T> =>
  orRolledBack(pool, async (client) => {
    const { writes, result } = decide((await inOneTrip(client, [begin(), opening, reading])).of(reading));
    await inOneTrip(client, writes.length > 0 ? [...writes, commit()] : [rollback()]);
    return result;
  });

/**
 * The rows of a query, so many at a time, of one state of the world, while somebody takes what is made of them. The first are read in a transaction, with all
 * the work that is ahead of them; what is left is then kept by the database, on its disk if it is much. A snapshot that stayed open for as long as
 * the reader takes would keep every version of every row that is changed meanwhile.
 */
export async function* streamHeld<Row, T>(
  pool: pg.Pool,
  { text, values }: Pick<Statement, 'text' | 'values'>,
  rowsAtATime: number,
  make: (connection: pg.PoolClient, rows: Row[]) => Promise<T>,
): AsyncGenerator<T> {
  const client = await pool.connect();
  const fetch = () => ask(client, named<Row>('', `FETCH ${rowsAtATime} FROM held`)());
  let isWhole = false;
  try {
    await inOneTrip(client, [beginSnapshot()]);
    await ask(client, named('', `DECLARE held NO SCROLL CURSOR WITH HOLD FOR ${text}`)(values));
    let rows = await fetch();
    await inOneTrip(client, [commit()]);
    while (rows.length > 0) {
      yield await make(client, rows);
      rows = rows.length < rowsAtATime ? [] : await fetch();
    }
    await ask(client, named('', 'CLOSE held')());
    isWhole = true;
  } finally {
    // One that was broken off is not used again, and so what it keeps is gone.
    client.release(!isWhole);
  }
}
