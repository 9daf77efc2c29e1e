import type { Connection, Result } from './connection.ts';

// A statement is a plain value: its text, its parameters, and a function that reads its result. Making one sends
// nothing.

/** The part of a statement that is sent. */
export interface SentStatement {
  /** A connection prepares each name once. */
  name: string;
  text: string;
  values: unknown[];
}

export interface Statement<T = unknown> extends SentStatement {
  /** Converts the result. */
  read(result: Result<unknown>): T;
  /** The same operation as statements that name one partner each. Their rows together are its result. */
  perPartner?(): readonly SentStatement[];
  /** The partners whose rows this statement or a later one locks for the rest of the transaction. */
  locks?: readonly number[];
}

/** `read` converts the rows; without it the result is the rows. */
export function named<Row>(name: string, text: string): (values?: unknown[]) => Statement<Row[]>;
export function named<Row, T>(
  name: string,
  text: string,
  read: (rows: Row[]) => T,
): (values?: unknown[]) => Statement<T>;
export function named<Row, T>(name: string, text: string, read?: (rows: Row[]) => T) {
  const readResult = ({ rows }: Result<unknown>) => (read === undefined ? rows : read(rows as Row[]));
  return (values: unknown[] = []): Statement => ({ name, text, values, read: readResult });
}

/**
 * Plans the statement for its values each time. A named statement soon gets one generic plan that assumes average
 * partners; for the largest partner that plan may scan all rows of an index that is selective for others.
 */
export const withCustomPlan = <T>(statement: Statement<T>): Statement<T> => ({ ...statement, name: '' });

/**
 * Runs one statement through the driver. The driver doesn't know which statements round trips have prepared on the
 * connection, so the statement gets another name here.
 */
export async function ask<T>(connection: Connection, statement: Statement<T>): Promise<T> {
  const results: Result<unknown>[] = [];
  for (const { name, text, values } of dialectOf(connection)(statement)) {
    results.push(await connection.query({ name: name === '' ? '' : `alone_${name}`, text, values }));
  }
  return statement.read(joined(results));
}

/** Combines the results of the statements that render one operation. */
export function joined(results: readonly Result<unknown>[]): Result<unknown> {
  const [first, ...others] = results;
  if (first !== undefined && others.length === 0) return first;
  return { rows: results.flatMap(({ rows }) => rows), rowCount: null, command: '' };
}

/**
 * For a transaction that locks rows of these partners and then writes: keeps the rows on their node until it ends. Send
 * it before the first lock. `lockEventHeads` does this by itself. One PostgreSQL gets no statement.
 */
export const pinPartners = (clientIds: readonly number[]): Statement<void> => ({
  ...{ name: '', text: '', values: [], read: () => {}, perPartner: () => [] },
  locks: clientIds,
});

/** Renders an operation as the statements that the database gets. A connection never changes its dialect. */
export type Dialect = (statement: Statement) => readonly SentStatement[];

/** One PostgreSQL takes every operation as one statement. */
const single: Dialect = (statement) => (statement.text === '' ? [] : [statement]);
const dialects = new WeakMap<object, Dialect>();

export const useDialect = (connection: object, dialect: Dialect): void => void dialects.set(connection, dialect);
export const dialectOf = (connection: object): Dialect => dialects.get(connection) ?? single;

/** A value in the text format of PostgreSQL. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(elementOf).join(',')}}` : String(value);
}

function elementOf(value: unknown): string {
  if (typeof value !== 'string') return textOf(value) ?? 'NULL';
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}

/**
 * A condition: the row belongs to one of these partners. A statement about several partners needs it for every table,
 * even if a join already names the partner, because Citus finds the nodes by tables and values alone. Where an index
 * must be read in its order, add LIMIT 1.
 */
export const isAmong = (row: string, clientIds: string): string => `${row}.client_id = ANY (${clientIds}::int[])`;

export const clientIdsOf = (rows: { client_id: number }[]): number[] => rows.map((row) => row.client_id);
