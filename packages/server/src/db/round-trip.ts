import type pg from 'pg';
import { type Connection, parserOf, type Result, textOf } from './connection.ts';

// Many statements in one round trip and with one Sync at their end, as in libpq's pipeline mode. The driver's own way to
// send a statement has a Sync, a description of the columns and a timer for each, and PostgreSQL writes after each.
//
// After a statement that fails, PostgreSQL passes over all that follow: they are not carried out, and fail alike.

interface Asked {
  statement: pg.QueryConfig;
  rows: Record<string, unknown>[];
  /** Named by PostgreSQL when the statement was prepared. */
  columns: Column[] | undefined;
  answer(result: Result<never>): void;
  fail(error: Error): void;
}

interface Column {
  name: string;
  parse(text: string): unknown;
}

/** By connection, then by the name of a statement: the columns of its rows. What stands here has been prepared. */
const prepared = new WeakMap<pg.Connection, Map<string, Column[]>>();

/** The first statement and what is long go out at once, so that PostgreSQL begins while the rest is being written. */
const enoughToSend = 4096;

/** Carries out the statements that `ask` asks for, in their order. Fails as the first of them that fails. */
export function inOneTrip<T extends unknown[]>(
  client: pg.ClientBase,
  ask: (connection: Connection) => [...T],
): Promise<{ [I in keyof T]: Awaited<T[I]> }> {
  return new Promise((resolve, reject) => {
    client.query(
      new RoundTrip((connection) => {
        Promise.all(ask(connection)).then(resolve, reject);
      }, reject),
    );
  });
}

/** The driver calls `submit`, then `handle…` for what comes back. */
class RoundTrip implements pg.Submittable {
  readonly #ask: (connection: Connection) => void;
  readonly #fail: (error: Error) => void;
  readonly #asked: Asked[] = [];
  #known = new Map<string, Column[]>();
  #answered = 0;

  constructor(ask: (connection: Connection) => void, fail: (error: Error) => void) {
    this.#ask = ask;
    this.#fail = fail;
  }

  submit(connection: pg.Connection): void {
    this.#known = prepared.get(connection) ?? new Map();
    prepared.set(connection, this.#known);
    const { stream } = connection;
    stream.cork();
    try {
      this.#ask({
        query: (statement) => {
          const { promise, resolve, reject } = Promise.withResolvers<Result<never>>();
          this.#send(connection, { statement, rows: [], columns: undefined, answer: resolve, fail: reject });
          if (this.#asked.length === 1 || stream.writableLength >= enoughToSend) {
            stream.uncork();
            stream.cork();
          }
          return promise;
        },
      });
    } catch (error) {
      // Nobody waits for what has been asked for already.
      for (const one of this.#asked) one.answer = one.fail = () => {};
      this.#fail(error as Error);
    }
    connection.sync();
    stream.uncork();
  }

  #send(connection: pg.Connection, one: Asked): void {
    const { name = '', text, values = [] } = one.statement;
    const texts = values.map(textOf);
    one.columns = this.#known.get(name);
    if (one.columns === undefined) {
      // It may have been prepared by a trip that failed.
      connection.close({ type: 'S', name }, true);
      connection.parse({ name, text, types: [] }, true);
    }
    connection.bind({ statement: name, values: texts }, true);
    if (one.columns === undefined) connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
    this.#asked.push(one);
  }

  get #current(): Asked {
    return this.#asked[this.#answered] as Asked;
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#current.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { columns = [], rows } = this.#current;
    const row: Record<string, unknown> = {};
    for (const [i, { name, parse }] of columns.entries()) {
      const text = fields[i] ?? null;
      row[name] = text === null ? null : parse(text);
    }
    rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { answer, rows } = this.#current;
    const words = text.split(' ');
    this.#answered++;
    const rowCount = words.length > 1 ? Number(words.at(-1)) : null;
    answer({ rows: rows as never[], rowCount, command: words[0] ?? '' });
  }

  /** Whoever waits is told by this; the driver wraps it, to know when it need not wait any longer itself. */
  callback = (error: Error | null): void => {
    for (const { fail } of this.#asked.slice(this.#answered)) fail(error ?? new Error('the statement had no answer'));
    if (error !== null) {
      // What was prepared may be gone; to prepare it again is safe.
      this.#known.clear();
      // Of a trip that was never begun, nobody has been told yet.
      this.#fail(error);
      return;
    }
    for (const { statement, columns = [] } of this.#asked) if (statement.name) this.#known.set(statement.name, columns);
  };

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }
}
