import assert from 'node:assert/strict';
import { named, type Statement } from './statement.ts';

// Row operations: statements that look up, lock, insert or update rows by key. The first column of every key and row is
// the partner. A batch collects its operations for all of its partners, so each operation is one statement for any
// number of partners: 64 partners with one row each cost little more than one partner with 64 rows.
//
// Every operation has three forms: for one row, for several rows of one partner, and for rows of several partners. The
// form for one row has plain values; a transaction with one row took 430 µs with plain values and 700 µs with arrays.
// `perPartner` is the same operation as statements that name one partner each, for a database that is spread over nodes.
//
// The forms for several rows look each row up in a subquery with OFFSET 0. The planner can't turn that into a scan of
// the table, which it would prefer as long as the table is nearly empty.

export type Value = string | number | boolean | null | undefined;

/** A column's type, and its value in a row. `cast` converts a value whose type can't be that of a parameter. */
export interface Column<Row> {
  type: string;
  cast?: string;
  of(row: Row): Value;
}

/** Columns by their names in the table. */
export type Columns<Row> = Record<string, Column<Row>>;

/** Rows or keys by partner. The partners are sorted, and none has an empty list. */
export type ByPartner<Row> = ReadonlyMap<number, readonly Row[]>;

/** SQL for the rows of an operation, in one of its forms. The rows are called `k`. */
export interface Form {
  /** Whether there is one row, so that `$2` and the following parameters are its plain values. */
  isSingleRow: boolean;
  /** The partner of a row. */
  clientId: string;
  /** The rows for FROM. */
  rows: string;
  /** The number of rows, as an expression that the planner can't estimate. */
  count: string;
}

function formsOf<Row>(columns: Columns<Row>): Record<'one' | 'partner' | 'partners', Form> {
  const types = Object.values(columns).map(({ type }) => type);
  const names = Object.keys(columns);
  const parameters = (suffix: string) => types.map((type, i) => `$${i + 2}::${type}${suffix}`);
  const called = (all: readonly string[]) => `k(${all.join(', ')})`;
  const arrays = parameters('[]').join(', ');
  const ofPartner = { clientId: '$1::int', rows: `unnest(${arrays}) AS ${called(names)}` };
  const withClient = `unnest(${['$1::int[]', ...(arrays === '' ? [] : [arrays])].join(', ')}) AS ${called(['client_id', ...names])}`;
  return {
    one: {
      isSingleRow: true,
      clientId: '$1::int',
      rows: `(VALUES (${parameters('').join(', ')})) AS ${called(names)}`,
      count: '1',
    },
    partner: { isSingleRow: false, ...ofPartner, count: 'cardinality($2)' },
    partners: { isSingleRow: false, clientId: 'k.client_id', rows: withClient, count: 'cardinality($1)' },
  };
}

/** An operation on rows of one or several partners. `columns` are its parameters. `text` renders one form. */
export function rowOperation<Row, Found, T>(
  name: string,
  columns: Columns<Row>,
  text: (form: Form) => string,
  read: (rows: Found[]) => T,
): (rows: ByPartner<Row>) => Statement<T> {
  const forms = formsOf(columns);
  const ofOne = named(`${name}_one`, text(forms.one), read);
  const ofPartner = Object.keys(columns).length === 0 ? ofOne : named(name, text(forms.partner), read);
  const ofPartners = named(`${name}_of_all`, text(forms.partners), read);
  const all = Object.values(columns);
  const ofEach = (clientId: number, rows: readonly Row[]) =>
    rows.length === 1
      ? ofOne([clientId, ...all.map(({ of }) => of(rows[0] as Row))])
      : ofPartner([clientId, ...all.map(({ of }) => rows.map(of))]);
  return (given) => {
    const perPartner = () => [...given].map(([clientId, rows]) => ofEach(clientId, rows));
    if (given.size === 1) return { ...(perPartner()[0] as Statement<T>), perPartner };
    const clientIds = [...given].flatMap(([clientId, rows]) => rows.map(() => clientId));
    const flat = [...given.values()].flat();
    return { ...ofPartners([clientIds, ...all.map(({ of }) => flat.map(of))]), perPartner };
  };
}

/** The condition that row `x` of a table has the key columns of `from`. */
const isKeyOf = ({ clientId }: Pick<Form, 'clientId'>, key: readonly string[], from = 'k'): string =>
  [`x.client_id = ${clientId}`, ...key.map((name) => `x.${name} = ${from}.${name}`)].join(' AND ');

/** The columns, each with the SQL of its parameter. */
const parametersOf = <Row>(columns: Columns<Row>, first: number): [string, string][] =>
  Object.entries(columns).map(([column, { type }], i) => [column, `$${first + i}::${type}`]);

/** The condition that row `t` has the key in the parameters. */
const isKeyOfSingleRow = <Key>(key: Columns<Key>): string =>
  ['t.client_id = $1::int', ...parametersOf(key, 2).map(([column, value]) => `t.${column} = ${value}`)].join(' AND ');

/** Joins the rows of a table that have the key columns of `from`, which is `k` by default. */
export const joinRows = (...row: Parameters<typeof rowOf>): string => `CROSS JOIN LATERAL ${rowOf(...row)}`;

/** The same as a left join, for rows that may not exist. */
export const leftJoinRows = (...row: Parameters<typeof rowOf>): string => `LEFT JOIN LATERAL ${rowOf(...row)} ON true`;

const rowOf = (
  form: Pick<Form, 'clientId'>,
  table: string,
  key: readonly string[],
  alias: string,
  from = 'k',
  locking = '',
): string => `(SELECT x.* FROM ${table} x WHERE ${isKeyOf(form, key, from)} OFFSET 0 ${locking}) ${alias}`;

/** Looks rows up by key. `selected` lists the columns of `t`; the partner is always selected too. */
export const lookUp = <Key, Found extends { client_id: number }>(
  name: string,
  table: string,
  key: Columns<Key>,
  selected: string,
  locking = '',
): ((keys: ByPartner<Key>) => Statement<Found[]>) =>
  rowOperation<Key, Found, Found[]>(
    name,
    key,
    (form) => {
      if (!form.isSingleRow) {
        return `SELECT t.client_id, ${selected} FROM ${form.rows} ${joinRows(form, table, Object.keys(key), 't', 'k', locking)}`;
      }
      return `SELECT t.client_id, ${selected} FROM ${table} t WHERE ${isKeyOfSingleRow(key)} ${locking}`;
    },
    (rows) => rows,
  );

const nothing = () => {};

/** `computed` has columns with the same SQL expression in every row. */
interface InsertOptions {
  name?: string;
  computed?: Record<string, string>;
  onConflict?: string;
}

/** Inserts the rows in the given order. */
export function insertInto<Row>(
  table: string,
  columns: Columns<Row>,
  { name = `insert_${table}`, computed = {}, onConflict = '' }: InsertOptions = {},
): (rows: ByPartner<Row>) => Statement<void> {
  const all = Object.values(columns);
  const into = `INSERT INTO ${table} (${['client_id', ...Object.keys(columns), ...Object.keys(computed)].join(', ')})`;
  const castOf = ({ cast }: Column<Row>) => (cast ? `::${cast}` : '');
  const valuesOf = (first: number) =>
    [
      '$1::int',
      ...all.map((column, i) => `$${first + i}::${column.type}${castOf(column)}`),
      ...Object.values(computed),
    ].join(', ');
  const inValues = (count: number) =>
    `${into} VALUES ${Array.from({ length: count }, (_, i) => `(${valuesOf(2 + i * all.length)})`).join(', ')} ${onConflict}`;
  const selected = Object.entries(columns).map(([column, each]) => `k.${column}${castOf(each)}`);
  const insert = rowOperation<Row, unknown, void>(
    name,
    columns,
    (form) =>
      form.isSingleRow
        ? inValues(1)
        : `${into} SELECT ${[form.clientId, ...selected, ...Object.values(computed)].join(', ')} FROM ${form.rows} ${onConflict}`,
    nothing,
  );
  const chunks = new Map(
    sizes.map((size) => [size, { name: `${name}_${size === 1 ? 'one' : size}`, text: inValues(size) }]),
  );
  return (rows) => ({
    ...insert(rows),
    perPartner: () =>
      [...rows].flatMap(([clientId, some]) =>
        inSizes(some).map((chunk) => {
          const statement = chunks.get(chunk.length);
          assert(statement, 'it is one of the sizes');
          return { ...statement, values: [clientId, ...chunk.flatMap((row) => all.map(({ of }) => of(row)))] };
        }),
      ),
  });
}

/** The sizes of the inserts of `perPartner`. A connection prepares each of them, which takes 20 kB of memory per row. */
const sizes = [16, 8, 4, 2, 1];

/** Splits rows into as few chunks as possible. */
function inSizes<Row>(rows: readonly Row[]): Row[][] {
  const chunks: Row[][] = [];
  let first = 0;
  for (const size of sizes) {
    for (; rows.length - first >= size; first += size) chunks.push(rows.slice(first, first + size));
  }
  return chunks;
}

interface UpdateOptions {
  name?: string;
  /** The new value of a column of `t`, given the SQL of its parameter. */
  set?: (column: string, value: string) => string;
  /** More columns, with the same SQL expression in every row. */
  computed?: Record<string, string>;
}

/**
 * Updates rows by key. Several rows are found by their place (ctid), which can't change because the transaction has
 * locked the rows or their partner. The planner expects few rows from a LIMIT that it can't estimate, so it never scans
 * the table.
 */
export function updateOf<Row>(
  table: string,
  key: Columns<Row>,
  columns: Columns<Row>,
  { name = `update_${table}`, set = (_, value) => value, computed = {} }: UpdateOptions = {},
): (rows: ByPartner<Row>) => Statement<void> {
  const keyNames = Object.keys(key);
  const fixed = Object.entries(computed).map(([column, sql]) => `${column} = ${sql}`);
  const assignments = (values: [string, string][]) =>
    [...values.map(([column, value]) => `${column} = ${set(column, value)}`), ...fixed].join(', ');
  const ofOne = `UPDATE ${table} t SET ${assignments(parametersOf(columns, keyNames.length + 2))}
    WHERE ${isKeyOfSingleRow(key)}`;
  const ofMany = (form: Form) => `UPDATE ${table} t
    SET ${assignments(Object.keys(columns).map((column) => [column, `k.${column}`]))}
    FROM (SELECT k.*, f.ctid AS row_ctid FROM ${form.rows} CROSS JOIN LATERAL (
        SELECT x.ctid FROM ${table} x WHERE ${isKeyOf(form, keyNames)} OFFSET 0) f
      LIMIT ${form.count}) k
    WHERE t.ctid = k.row_ctid`;
  const update = rowOperation<Row, unknown, void>(
    name,
    { ...key, ...columns },
    (form) => (form.isSingleRow ? ofOne : ofMany(form)),
    nothing,
  );
  return (rows) => ({
    ...update(rows),
    perPartner: () => [...rows].flatMap(([clientId, some]) => some.map((row) => update(forPartner(clientId, [row])))),
  });
}

/** The columns of the table `alias` for a SELECT; bytea is read as hexadecimal digits. */
export const selectionOf = <Row>(alias: string, columns: Columns<Row>): string =>
  Object.entries(columns)
    .map(([name, { type }]) => (type === 'bytea' ? `encode(${alias}.${name}, 'hex') AS ${name}` : `${alias}.${name}`))
    .join(', ');

/** Hexadecimal digits as a bytea literal. */
export const bytesText = (hex: string): string => `\\x${hex}`;

/** The rows of one partner. */
export const forPartner = <Row>(clientId: number, rows: readonly Row[]): ByPartner<Row> => new Map([[clientId, rows]]);

/** For operations whose key is only the partner. */
export const partnersAsKeys = (clientIds: readonly number[]): ByPartner<number> =>
  new Map(clientIds.map((clientId) => [clientId, [clientId]]));
