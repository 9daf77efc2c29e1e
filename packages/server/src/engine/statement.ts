import assert from 'node:assert/strict';
import type { Connection, Result } from './connection.ts';

// A statement is a plain value: its text, its parameters, and how its answer is read. Nothing is sent by making one.

/** What is sent. */
export interface Question {
  /** A connection parses a statement of a name once. */
  name: string;
  text: string;
  values: unknown[];
}

export interface Statement<T = unknown> extends Question {
  /** What the answer means. */
  read(result: Result<unknown>): T;
  /** The same with plain values, in one statement or several; none where it is of no rows, or of more than so many. */
  plainly?(mostRows: number): Question[];
}

/** With `read` the rows become what the caller wants of them; without it they are the answer. */
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
 * Planned for its very values each time it is sent. A statement of a name soon has one plan for all partners, as if each had
 * as many rows as the average; for the largest of them it may walk all rows by an index that finds few elsewhere.
 */
export const plannedAnew = <T>(statement: Statement<T>): Statement<T> => ({ ...statement, name: '' });

const combinations = new Map<string, { name: string; text: string }>();

/**
 * Several changes as one statement, which spares the database 15 to 30 µs for each, however little it does. They are of different rows.
 * Nobody knows in which order they are carried out, but that what one returns is had before it is used, by the name of its statement: so
 * only one of them waits for a lock, and nothing is inserted that another transaction may insert.
 */
export function together(changes: readonly Statement[]): readonly Statement[] {
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
 * Carries out one statement by itself. The driver prepares it, and knows nothing of what round trips have prepared on the same
 * connection: so it has another name there.
 */
export async function ask<T>(connection: Connection, statement: Statement<T>): Promise<T> {
  const { name, text, values } = statement;
  return statement.read(await connection.query({ name: name === '' ? '' : `alone_${name}`, text, values }));
}

/** A value as PostgreSQL reads it. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(elementOf).join(',')}}` : String(value);
}

function elementOf(value: unknown): string {
  if (typeof value !== 'string') return textOf(value) ?? 'NULL';
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}

// Statements over many rows, which are given as columns: an array of values each. With arrays PostgreSQL must make a set of
// rows first; for one row alone, as where many partners are busy and each a little, the same statements with plain values
// took it 430 µs for a transaction, and 700 µs with arrays. So each of these is written once and prepared in both forms; and what is inserted
// also for a few rows with plain values, for a database of many machines (engine/transaction.ts).

export type Value = string | number | boolean | null | undefined;

/** What stands in a column: its type, and the value of a row. `cast` makes of it what a parameter cannot be. */
export interface Column<Row> {
  type: string;
  cast?: string;
  of(row: Row): Value;
}

/** By the names that the columns have in the table. */
export type Columns<Row> = Record<string, Column<Row>>;

/** How the rows are named in the text of a statement; a parameter is named by its number. */
interface Form {
  isOne: boolean;
  /** Whether the key is among those of the parameter. */
  isAmong(key: string, keys: number, type: string): string;
  /**
   * What the parameter has for the row with this key. An update that joins unnest(…) would leave the order of the join to
   * the planner, and on a table it believes small it walks all rows of the partner: bets fell to 180 a second within
   * 5,000 rows. An element of an array that is assigned as it is, without the COALESCE around it, crashes Citus 13.2.
   */
  at(value: number, type: string, key: string, keys: number): string;
  /** The rows, for FROM; each parameter is a column. */
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

/** Parameters are the fixed values, then the columns. */
export function inColumns<Row, T>(name: string, text: (form: Form) => string, read: (rows: Row[]) => T) {
  const ofMany = named(name, text(many), read);
  const ofOne = named(`${name}_one`, text(one), read);
  return (fixed: Value[], columns: Value[][]): Statement<T> =>
    columns.every((column) => column.length === 1)
      ? ofOne([...fixed, ...columns.map((column) => column[0])])
      : ofMany([...fixed, ...columns]);
}

const nothing = () => {};

/** What the rows have in each of the columns. */
export function valuesOf<Row>(columns: Columns<Row>): (rows: readonly Row[]) => Value[][] {
  const all = Object.values(columns);
  return (rows) => all.map((column) => rows.map(column.of));
}

/**
 * Inserts the rows in the order given. `fixed` are columns that are alike in all of them, with their types; the first is the partner.
 * Many rows stand on the partner's row in event_heads, which must be there, or nothing is inserted: so they are of one partner also
 * for a database that does not know what unnest(…) has, and goes to one machine. One row is enough by itself.
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
  // That of one row is the one that is prepared anyway.
  const plain = new Map(
    sizes.map((size) => [size, { name: `${name}_${size === 1 ? 'one' : size}`, text: inValues(size) }]),
  );
  return (values: Value[], rows: readonly Row[]): Statement<void> => {
    const given = read(rows);
    const rowsFrom = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => given.map((column) => column[first + i])).flat();
    const plainly = (mostRows: number) => {
      if (rows.length > mostRows) return [];
      return inSizes(rows.length).map(({ first, size }) => {
        const question = plain.get(size);
        assert(question, 'it is one of the sizes');
        return { ...question, values: [...values, ...rowsFrom(first, size)] };
      });
    };
    return { ...insert(values, given), plainly };
  };
}

/** Rows that one statement has as plain values. Each size is prepared on every connection, and takes 20 kB of it for a row. */
const sizes = [16, 8, 4, 2, 1];

/** So many rows in as few statements as can be. */
function inSizes(count: number): { first: number; size: number }[] {
  const found: { first: number; size: number }[] = [];
  let first = 0;
  for (const size of sizes) {
    for (; count - first >= size; first += size) found.push({ first, size });
  }
  return found;
}

/** What an UPDATE sets, of the rows whose key is among those of a parameter; `first` is the number of the first value. */
export const assignments = <Row>(form: Form, columns: Columns<Row>, first: number, key: string, keys: number): string =>
  Object.entries(columns)
    .map(([name, { type }], i) => `${name} = ${form.at(first + i, type, key, keys)}`)
    .join(', ');

/** Changes the rows with these keys. `fixed` are columns that are alike in all of them, with their types. */
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

/** What a SELECT reads of these columns; bytes come as hexadecimal digits. */
export const selectionOf = <Row>(alias: string, columns: Columns<Row>): string =>
  Object.entries(columns)
    .map(([name, { type }]) => (type === 'bytea' ? `encode(${alias}.${name}, 'hex') AS ${name}` : `${alias}.${name}`))
    .join(', ');

/** Hexadecimal digits as bytes. */
export const bytesText = (hex: string): string => `\\x${hex}`;

/**
 * Whether a row is of one of these partners, for every table of a statement about several, also where it says of which one: a database of many
 * machines looks only at tables and values to know which of them to ask. Together with an index it must be read in its order, by LIMIT 1.
 */
export const isAmong = (row: string, clientIds: string): string => `${row}.client_id = ANY (${clientIds}::int[])`;

export const clientIdsOf = (rows: { client_id: number }[]): number[] => rows.map((row) => row.client_id);
