import type pg from 'pg';
import { type Connections, parserOf, type Result } from './connection.ts';
import { ask, dialectOf, joined, named, type SentStatement, type Statement, textOf } from './statement.ts';

export const begin = named('begin', 'BEGIN');
/** Returns the command that PostgreSQL reports: ROLLBACK if the transaction had failed. */
export const commit = (): Statement<string> => ({
  name: 'commit',
  text: 'COMMIT',
  values: [],
  read: ({ command }) => command,
});
export const rollback = named('rollback', 'ROLLBACK');

/**
 * Limits waits for locks for the rest of the transaction. Citus passes SET LOCAL on to other nodes, but not
 * set_config().
 */
export const limitLockWait = (ms: number): Statement =>
  named(`limit_lock_wait_${ms}`, `SET LOCAL lock_timeout = ${ms}`)();

const beginSnapshot = named('begin_snapshot', 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

/** Runs several reads in one snapshot. */
export const inSnapshot = <T>(pool: pg.Pool, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, work, beginSnapshot().text);

export const inTransaction = <T>(
  pool: Connections,
  work: (connection: pg.PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> =>
  withRollback(pool, async (client) => {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });

/** If the work fails, rolls its transaction back and closes the connection. */
async function withRollback<T>(pool: Connections, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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

/** Runs several reads in one snapshot and one round trip. */
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

/** Runs the statements in one transaction and one round trip. */
export const inOneTransaction = (pool: pg.Pool, statements: readonly Statement[]): Promise<TripResults> =>
  withRollback(pool, (client) => inOneTrip(client, [begin(), ...statements, commit()]));

/** Opens and reads in one round trip, and writes and commits in a second. Rolls back if there is nothing to write. */
export const decideInTransaction = <Found, T>(
  pool: pg.Pool,
  opening: Statement,
  reading: Statement<Found>,
  decide: (found: Found) => { writes: Statement[]; result: T },
): Promise<T> =>
  withRollback(pool, async (client) => {
    const { writes, result } = decide((await inOneTrip(client, [begin(), opening, reading])).of(reading));
    await inOneTrip(client, writes.length > 0 ? [...writes, commit()] : [rollback()]);
    return result;
  });

/**
 * Streams the rows of a query from one snapshot, `rowsAtATime` at a time. The cursor is WITH HOLD: the commit makes the
 * database store the remaining rows, on disk if they are many. A snapshot that stayed open until a slow reader has
 * finished would stop vacuum from removing old row versions meanwhile.
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
    // After an early end the connection is closed, which also drops the cursor.
    client.release(!isWhole);
  }
}

// Sends many statements in one round trip with one Sync at the end, like libpq's pipeline mode. The driver itself sends
// a Sync, a Describe and a timer with each statement, and PostgreSQL flushes after each.
//
// All statements are serialised before the first is sent, so an error there sends nothing, least of all a COMMIT. After
// a statement fails, PostgreSQL skips all that follow.

export interface TripResults {
  /** The result of a statement of the trip. */
  of<T>(statement: Statement<T>): T;
}

interface Column {
  name: string;
  parse(text: string): unknown;
}

/**
 * The prepared statements of each connection by name, with the columns of their rows. The driver does not know about
 * them, so a name is used either in round trips or by the driver.
 */
const prepared = new WeakMap<pg.Connection, Map<string, Column[]>>();

/**
 * The first statement, and every 4 KB, are flushed at once, so that PostgreSQL starts while the rest is being written.
 */
const flushBytes = 4096;

/** Runs the statements in order, and fails with the error of the first that fails. */
export async function inOneTrip(client: pg.ClientBase, statements: readonly Statement[]): Promise<TripResults> {
  const parts = statements.map(dialectOf(client));
  const left = await send(client, parts.flat());
  return tripResultsOf(
    statements,
    parts.map(({ length }) => joined(left.splice(0, length))),
  );
}

const send = (client: pg.ClientBase, questions: readonly SentStatement[]): Promise<Result<unknown>[]> =>
  new Promise((resolve, reject) => {
    const texts = questions.map(({ values }) => values.map(textOf));
    client.query(
      new RoundTrip(questions, texts, (error, results) => (error === null ? resolve(results) : reject(error))),
    );
  });

function tripResultsOf(statements: readonly Statement[], results: Result<unknown>[]): TripResults {
  const byStatement = new Map<Statement, Result<unknown>>();
  for (let i = 0; i < statements.length; i++) {
    byStatement.set(statements[i] as Statement, results[i] as Result<unknown>);
  }
  return {
    of(statement) {
      const result = byStatement.get(statement);
      if (result === undefined) throw new Error(`the statement ${statement.name} was not part of this trip`);
      return statement.read(result);
    },
  };
}

/** The driver calls `submit`, then `handle…` for each message of the response. */
class RoundTrip implements pg.Submittable {
  readonly #statements: readonly SentStatement[];
  readonly #texts: (string | null)[][];
  readonly #end: (error: Error | null, results: Result<unknown>[]) => void;
  readonly #results: Result<unknown>[] = [];
  /** The columns of each statement, which PostgreSQL described when the statement was prepared. */
  readonly #columns: (Column[] | undefined)[] = [];
  #known = new Map<string, Column[]>();
  #rows: Record<string, unknown>[] = [];

  constructor(
    statements: readonly SentStatement[],
    texts: (string | null)[][],
    end: (error: Error | null, results: Result<unknown>[]) => void,
  ) {
    this.#statements = statements;
    this.#texts = texts;
    this.#end = end;
  }

  submit(connection: pg.Connection): void {
    this.#known = prepared.get(connection) ?? new Map();
    prepared.set(connection, this.#known);
    const { stream } = connection;
    stream.cork();
    for (let i = 0; i < this.#statements.length; i++) {
      this.#send(connection, i);
      if (i === 0 || stream.writableLength >= flushBytes) {
        stream.uncork();
        stream.cork();
      }
    }
    connection.sync();
    stream.uncork();
  }

  #send(connection: pg.Connection, i: number): void {
    const { name, text } = this.#statements[i] as SentStatement;
    const columns = this.#known.get(name);
    this.#columns[i] = columns;
    if (columns === undefined) {
      // A trip that failed may have prepared this name.
      connection.close({ type: 'S', name }, true);
      connection.parse({ name, text, types: [] }, true);
    }
    connection.bind({ statement: name, values: this.#texts[i] as (string | null)[] }, true);
    if (columns === undefined) connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    this.#columns[this.#results.length] = columns;
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.#columns[this.#results.length] ?? [];
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const { name, parse } = columns[i] as Column;
      const text = fields[i] ?? null;
      row[name] = text === null ? null : parse(text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ');
    const rowCount = words.length > 1 ? Number(words.at(-1)) : null;
    this.#results.push({ rows: this.#rows, rowCount, command: words[0] ?? '' });
    this.#rows = [];
  }

  /** Completes the trip. The driver wraps this callback to stop its own timeout. */
  callback = (given: Error | null): void => {
    const isWhole = this.#results.length === this.#statements.length;
    const error = given ?? (isWhole ? null : new Error('a statement had no answer'));
    if (error !== null) {
      Object.assign(error, { statement: this.#statements[this.#results.length]?.name });
      // The prepared statements may be lost; preparing them again is safe.
      this.#known.clear();
      this.#end(error, []);
      return;
    }
    for (let i = 0; i < this.#statements.length; i++) {
      const { name } = this.#statements[i] as SentStatement;
      if (name && !this.#known.has(name)) this.#known.set(name, this.#columns[i] ?? []);
    }
    this.#end(null, this.#results);
  };

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }
}
