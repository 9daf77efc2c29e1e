import assert from 'node:assert/strict';
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
  /** The same change as statements with VALUES instead of arrays; empty if it has no rows or more than `mostRows`. */
  asInlineRows?(mostRows: number): SentStatement[];
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

const combinations = new Map<string, { name: string; text: string }>();

/**
 * Combines several changes into one statement with CTEs, which saves the database 15 to 30 µs for each. The changes
 * must touch different rows. PostgreSQL runs them in an undefined order, except that a change which selects from
 * another, by the name of its statement, waits for its result. So at most one of them may wait for a lock, and none may
 * insert a row that another transaction could insert.
 */
export function asOneStatement(changes: readonly Statement[]): readonly Statement[] {
  if (changes.length < 2) return changes;
  const names = changes.map(({ name }) => name).join(' ');
  const known = combinations.get(names) ?? { name: `together_${combinations.size + 1}`, text: combined(changes) };
  combinations.set(names, known);
  return [{ ...known, values: changes.flatMap(({ values }) => values), read: () => {} }];
}

function combined(changes: readonly Statement[]): string {
  let before = 0;
  const parts = changes.map(({ name, text, values }, i) => {
    const offset = before;
    before += values.length;
    const renumbered = text.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`);
    return i === changes.length - 1 ? renumbered : `${name} AS (${renumbered})`;
  });
  const last = parts.pop();
  return `WITH ${parts.join(', ')} ${last}`;
}

/**
 * Runs one statement through the driver. The driver doesn't know which statements round trips have prepared on the
 * connection, so the statement gets another name here.
 */
export async function ask<T>(connection: Connection, statement: Statement<T>): Promise<T> {
  const { name, text, values } = statement;
  return statement.read(await connection.query({ name: name === '' ? '' : `alone_${name}`, text, values }));
}

/** A value in the text format of PostgreSQL. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(elementOf).join(',')}}` : String(value);
}

function elementOf(value: unknown): string {
  if (typeof value !== 'string') return textOf(value) ?? 'NULL';
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}

// Statements over many rows take columns: one array of values each. PostgreSQL must first turn the arrays into rows.
// For a single row, which is common if many partners each send a little, a transaction took 430 µs with plain values
// and 700 µs with arrays. So each of these statements is written once and prepared in both forms. Inserts also have a
// form with plain values for a few rows, for databases with several nodes (engine/transaction.ts).

export type Value = string | number | boolean | null | undefined;

/** A column's type, and its value in a row. `cast` converts a value whose type can't be that of a parameter. */
export interface Column<Row> {
  type: string;
  cast?: string;
  of(row: Row): Value;
}

/** Columns by their names in the table. */
export type Columns<Row> = Record<string, Column<Row>>;

/** SQL for the rows of a statement, for one row or for many. Numbers are parameter numbers. */
interface Form {
  isOne: boolean;
  /** A condition: the key is among the keys in the parameter. */
  isAmong(key: string, keys: number, type: string): string;
  /**
   * The value for the row with this key. An update that joins unnest(…) leaves the join order to the planner, which
   * scans all rows of the partner if it believes the table is small: bets fell to 180 per second within 5,000 rows. The
   * COALESCE prevents a crash of Citus 13.2, which can't assign a bare array element.
   */
  at(value: number, type: string, key: string, keys: number): string;
  /** The rows for FROM; each parameter is a column. */
  rows(first: number, types: readonly string[]): string;
}

const parameters = (first: number, types: readonly string[], suffix: string): string =>
  types.map((type, i) => `$${first + i}::${type}${suffix}`).join(', ');

const many: Form = {
  isOne: false,
  isAmong: (key, keys, type) => `${key} = ANY ($${keys}::${type}[])`,
  at: (value, type, key, keys) => `coalesce(($${value}::${type}[])[array_position($${keys}, ${key})])`,
  rows: (first, types) => `unnest(${parameters(first, types, '[]')})`,
};

const one: Form = {
  isOne: true,
  isAmong: (key, keys, type) => `${key} = $${keys}::${type}`,
  at: (value, type) => `$${value}::${type}`,
  rows: (first, types) => `(VALUES (${parameters(first, types, '')}))`,
};

/** The parameters are the fixed values, then the columns. */
export function inColumns<Row, T>(name: string, text: (form: Form) => string, read: (rows: Row[]) => T) {
  const ofMany = named(name, text(many), read);
  const ofOne = named(`${name}_one`, text(one), read);
  return (fixed: Value[], columns: Value[][]): Statement<T> =>
    columns.every((column) => column.length === 1)
      ? ofOne([...fixed, ...columns.map((column) => column[0])])
      : ofMany([...fixed, ...columns]);
}

const nothing = () => {};

/** The values of the rows, column by column. */
export function valuesOf<Row>(columns: Columns<Row>): (rows: readonly Row[]) => Value[][] {
  const all = Object.values(columns);
  return (rows) => all.map((column) => rows.map(column.of));
}

/**
 * Inserts the rows in the given order. `fixed` has the columns with the same value in all rows and their types; the
 * first is the partner. Inserts of several rows select from the partner's row in event_heads; without that row they
 * insert nothing. The join shows Citus that unnest(…) has rows of one partner only, so it sends the statement to one
 * node. An insert of one row doesn't need it.
 */
export function insertInto<Row>(
  table: string,
  fixed: Record<string, string>,
  columns: Columns<Row>,
  { name = `insert_${table}`, onConflict = '' } = {},
) {
  const names = [...Object.keys(fixed), ...Object.keys(columns)];
  const all = Object.values(columns);
  const types = all.map((column) => column.type);
  const [, ...otherTypes] = Object.values(fixed);
  const others = otherTypes.length > 0 ? [parameters(2, otherTypes, '')] : [];
  const firstColumn = Object.keys(fixed).length + 1;
  const castOf = ({ cast }: Column<Row>) => (cast ? `::${cast}` : '');
  const selected = Object.entries(columns).map(([name, column]) => `r.${name}${castOf(column)}`);
  const into = `INSERT INTO ${table} (${names.join(', ')})`;
  const plainRow = (first: number) =>
    ['$1::int', ...others, ...all.map((column, i) => `$${first + i}::${column.type}${castOf(column)}`)].join(', ');
  const inValues = (count: number) => {
    const rows = Array.from({ length: count }, (_, i) => `(${plainRow(firstColumn + i * all.length)})`);
    return `${into} VALUES ${rows.join(', ')} ${onConflict}`;
  };
  const insert = inColumns(
    name,
    ({ isOne, rows }) =>
      isOne
        ? inValues(1)
        : `${into} SELECT ${['h.client_id', ...others, ...selected].join(', ')}
           FROM event_heads h CROSS JOIN ${rows(firstColumn, types)} AS r(${Object.keys(columns).join(', ')})
           WHERE h.client_id = $1 ${onConflict}`,
    nothing,
  );
  const read = valuesOf(columns);
  // The form for one row is the statement that is prepared anyway.
  const plain = new Map(
    sizes.map((size) => [size, { name: `${name}_${size === 1 ? 'one' : size}`, text: inValues(size) }]),
  );
  return (values: Value[], rows: readonly Row[]): Statement<void> => {
    const given = read(rows);
    const rowsFrom = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => given.map((column) => column[first + i])).flat();
    const asInlineRows = (mostRows: number) => {
      if (rows.length > mostRows) return [];
      return inSizes(rows.length).map(({ first, size }) => {
        const question = plain.get(size);
        assert(question, 'it is one of the sizes');
        return { ...question, values: [...values, ...rowsFrom(first, size)] };
      });
    };
    return { ...insert(values, given), asInlineRows };
  };
}

/**
 * Numbers of rows per statement with plain values. Every connection prepares each size, which takes 20 kB of memory per
 * row.
 */
const sizes = [16, 8, 4, 2, 1];

/** Splits rows into as few statements as possible. */
function inSizes(count: number): { first: number; size: number }[] {
  const found: { first: number; size: number }[] = [];
  let first = 0;
  for (const size of sizes) {
    for (; count - first >= size; first += size) found.push({ first, size });
  }
  return found;
}

/**
 * The assignments of an UPDATE. `keys` is the parameter with the keys, `first` that with the first column of values.
 */
export const assignments = <Row>(form: Form, columns: Columns<Row>, first: number, key: string, keys: number): string =>
  Object.entries(columns)
    .map(([name, { type }], i) => `${name} = ${form.at(first + i, type, key, keys)}`)
    .join(', ');

/** Updates rows by key. `fixed` has the columns that all rows have in common and their types. */
export function updateOf<Row>(
  table: string,
  fixed: Record<string, string>,
  [keyName, key]: [string, Column<Row>],
  columns: Columns<Row>,
) {
  const conditions = Object.entries(fixed).map(([name, type], i) => `t.${name} = $${i + 1}::${type}`);
  const keys = conditions.length + 1;
  const update = inColumns(
    `update_${table}`,
    (form) => `UPDATE ${table} t SET ${assignments(form, columns, keys + 1, `t.${keyName}`, keys)}
      WHERE ${[...conditions, form.isAmong(`t.${keyName}`, keys, key.type)].join(' AND ')}`,
    nothing,
  );
  const read = valuesOf({ [keyName]: key, ...columns });
  return (values: Value[], rows: readonly Row[]) => update(values, read(rows));
}

/** The columns for a SELECT; bytea is read as hexadecimal digits. */
export const selectionOf = <Row>(alias: string, columns: Columns<Row>): string =>
  Object.entries(columns)
    .map(([name, { type }]) => (type === 'bytea' ? `encode(${alias}.${name}, 'hex') AS ${name}` : `${alias}.${name}`))
    .join(', ');

/** Hexadecimal digits as a bytea literal. */
export const bytesText = (hex: string): string => `\\x${hex}`;

/**
 * A condition: the row belongs to one of these partners. A statement about several partners needs it for every table,
 * even if a join already names the partner, because Citus finds the nodes by tables and values alone. Where an index
 * must be read in its order, add LIMIT 1.
 */
export const isAmong = (row: string, clientIds: string): string => `${row}.client_id = ANY (${clientIds}::int[])`;

export const clientIdsOf = (rows: { client_id: number }[]): number[] => rows.map((row) => row.client_id);
