import { named } from '../db/connection.ts';

// Statements over many rows, which are given as columns: an array of values each. With arrays PostgreSQL must make a set of
// rows first; for one row alone, as where many partners are busy and each a little, the same statements with plain values
// took it 430 µs for a transaction, and 700 µs with arrays. So each of these is written once and prepared in both forms.

/** A parameter is named by its number, with its type. */
export interface Columns {
  /** The rows, for FROM; each parameter is a column. */
  rows(first: number, types: readonly string[]): string;
  /** Whether the key is among those of the parameter. */
  isAmong(key: string, keys: number, type: string): string;
  /**
   * What the parameter has for the row with this key. An update that joins unnest(…) would leave the order of the join to
   * the planner, and on a table it believes small it walks all rows of the partner: bets fell to 180 a second within
   * 5,000 rows.
   */
  at(value: number, type: string, key: string, keys: number): string;
}

const parameters = (first: number, types: readonly string[], suffix: string): string =>
  types.map((type, i) => `$${first + i}::${type}${suffix}`).join(', ');

const many: Columns = {
  rows: (first, types) => `unnest(${parameters(first, types, '[]')})`,
  isAmong: (key, keys, type) => `${key} = ANY ($${keys}::${type}[])`,
  at: (value, type, key, keys) => `($${value}::${type}[])[array_position($${keys}, ${key})]`,
};

const one: Columns = {
  rows: (first, types) => `(VALUES (${parameters(first, types, '')}))`,
  isAmong: (key, keys, type) => `${key} = $${keys}::${type}`,
  at: (value, type) => `$${value}::${type}`,
};

type Value = string | number | boolean | null | undefined;

/** Parameters are the fixed values, then the columns. */
export function inColumns(name: string, text: (columns: Columns) => string) {
  const ofMany = named(name, text(many));
  const ofOne = named(`${name}_one`, text(one));
  return (fixed: Value[], columns: Value[][]) =>
    columns.every((column) => column.length === 1)
      ? ofOne([...fixed, ...columns.map(([value]) => value)])
      : ofMany([...fixed, ...columns]);
}
