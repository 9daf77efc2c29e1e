import assert from 'node:assert/strict';
import type pg from 'pg';
import { type Connections, parserOf, type Result } from './connection.ts';
import { ask, named, type Question, type Statement, textOf } from './statement.ts';

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

// Many statements in one round trip and with one Sync at their end, as in libpq's pipeline mode. The driver's own way to
// send a statement has a Sync, a description of the columns and a timer for each, and PostgreSQL writes after each.
//
// All of them are made before the first is sent, so whoever fails to make one has sent nothing, a COMMIT behind it least
// of all. After a statement that fails, PostgreSQL passes over all that follow: they are not carried out, and fail alike.

export interface TripResults {
  /** What came back for a statement of the trip. */
  of<T>(statement: Statement<T>): T;
}

interface Column {
  name: string;
  parse(text: string): unknown;
}

/**
 * By connection, then by the name of a statement: the columns of its rows. What stands here has been prepared. The driver does not
 * know of it, so a statement goes either in trips or by itself.
 */
const prepared = new WeakMap<pg.Connection, Map<string, Column[]>>();

/** The first statement and what is long go out at once, so that PostgreSQL begins while the rest is being written. */
const enoughToSend = 4096;

/**
 * Carries the statements out in their order. Fails as the first of them that fails. A database of many machines makes the plan of a statement of one
 * table and plain values one time, and that of any other anew each time: up to `plainRows` rows are sent to it so.
 */
export async function inOneTrip(
  client: pg.ClientBase,
  statements: readonly Statement[],
  { plainRows = 0 } = {},
): Promise<TripResults> {
  if (plainRows === 0) return tripResultsOf(statements, await send(client, statements));
  const parts = statements.map((statement) => {
    const plain = statement.plainly?.(plainRows) ?? [];
    return plain.length > 0 ? plain : [statement];
  });
  const left = await send(client, parts.flat());
  return tripResultsOf(
    statements,
    parts.map(({ length }) => joined(left.splice(0, length))),
  );
}

/** What came back for the parts of a statement. */
function joined(results: Result<unknown>[]): Result<unknown> {
  const [first] = results;
  assert(first, 'a statement has an answer');
  return results.length === 1 ? first : { ...first, rows: results.flatMap(({ rows }) => rows), rowCount: null };
}

const send = (client: pg.ClientBase, questions: readonly Question[]): Promise<Result<unknown>[]> =>
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

/** The driver calls `submit`, then `handle…` for what comes back. */
class RoundTrip implements pg.Submittable {
  readonly #statements: readonly Question[];
  readonly #texts: (string | null)[][];
  readonly #end: (error: Error | null, results: Result<unknown>[]) => void;
  readonly #results: Result<unknown>[] = [];
  /** Of each statement, named by PostgreSQL when it was prepared. */
  readonly #columns: (Column[] | undefined)[] = [];
  #known = new Map<string, Column[]>();
  #rows: Record<string, unknown>[] = [];

  constructor(
    statements: readonly Question[],
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
      if (i === 0 || stream.writableLength >= enoughToSend) {
        stream.uncork();
        stream.cork();
      }
    }
    connection.sync();
    stream.uncork();
  }

  #send(connection: pg.Connection, i: number): void {
    const { name, text } = this.#statements[i] as Question;
    const columns = this.#known.get(name);
    this.#columns[i] = columns;
    if (columns === undefined) {
      // It may have been prepared by a trip that failed.
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

  /** Whoever waits is told by this; the driver wraps it, to know when it need not wait any longer itself. */
  callback = (given: Error | null): void => {
    const isWhole = this.#results.length === this.#statements.length;
    const error = given ?? (isWhole ? null : new Error('a statement had no answer'));
    if (error !== null) {
      Object.assign(error, { statement: this.#statements[this.#results.length]?.name });
      // What was prepared may be gone; to prepare it again is safe.
      this.#known.clear();
      this.#end(error, []);
      return;
    }
    for (let i = 0; i < this.#statements.length; i++) {
      const { name } = this.#statements[i] as Question;
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
