import { compileSchema, JobItem } from '@freebets/contract';
import { CsvFault, csvReader } from '@freebets/contract/csv';
import { Failure } from '../primitives/failure.ts';
import { readTextFile } from './files.ts';

// Reads the items of a job from a list of players. Each line becomes a valid item, or a problem with its reason.

export type ListFormat = 'csv' | 'ndjson';

/** How to read a list. */
export interface ListOptions {
  path: string;
  format: ListFormat;
  /** The currency of all players, if the list has none. */
  currency: string | undefined;
  ignoresColumns: boolean;
  /** Whether an item may have its own amount and quantity. */
  isDirect: boolean;
}

export type ListEntry = { line: number; item: JobItem } | BrokenRow;

export interface List {
  entries: AsyncGenerator<ListEntry[]>;
  /** The hash of the file. Call it only after reading all entries. */
  sha256(): string;
}

const required = JobItem.required as string[];
const known = Object.keys(JobItem.properties);
const directJobFields = ['bet_amount', 'quantity'];

const allowedIn = ({ isDirect }: ListOptions): string[] =>
  isDirect ? known : known.filter((name) => !directJobFields.includes(name));

/** The given format, or else the one of the file extension. */
export function formatOf(path: string, given: ListFormat | undefined): ListFormat {
  if (given !== undefined) return given;
  if (/\.(csv|tsv|txt)$/i.test(path)) return 'csv';
  if (/\.(ndjson|jsonl)$/i.test(path)) return 'ndjson';
  throw new Failure(`The format of ${path} is unknown: use --format csv or --format ndjson.`);
}

export function readList(options: ListOptions): List {
  const { chunks, sha256 } = readTextFile(options.path);
  const rows =
    options.format === 'csv' ? csvFields(options, csvRows(chunks)) : ndjsonFields(options, ndjsonRows(chunks));
  return { entries: entriesOf(options, rows), sha256 };
}

type Fields = Record<string, unknown>;

const validate = compileSchema(JobItem);

async function* entriesOf({ currency }: ListOptions, rows: Rows<Fields>): AsyncGenerator<ListEntry[]> {
  const entryOf = (row: Row<Fields> | BrokenRow): ListEntry => {
    if ('problem' in row) return row;
    const item = currency === undefined ? row.content : { currency, ...row.content };
    const wrong = validate(item);
    if (wrong.length === 0) return { line: row.line, item: item as JobItem };
    return { line: row.line, problem: wrong.map(({ field, reason }) => `${field} ${reason}`).join('; ') };
  };
  for await (const some of rows) yield some.map(entryOf);
}

async function* ndjsonFields(options: ListOptions, rows: Rows<object>): Rows<Fields> {
  const allowed = allowedIn(options);
  const fieldsOf = (row: Row<object> | BrokenRow): Row<Fields> | BrokenRow => {
    if ('problem' in row) return row;
    const fields = Object.entries(row.content);
    const unknown = fields.map(([name]) => name).filter((name) => !allowed.includes(name));
    if (unknown.length > 0 && !options.ignoresColumns) {
      return {
        line: row.line,
        problem: unknown.map((name) => `${name.slice(0, 100)} ${fieldProblem(name)}`).join('; '),
      };
    }
    return { line: row.line, content: Object.fromEntries(fields.filter(([name]) => allowed.includes(name))) };
  };
  for await (const some of rows) yield some.map(fieldsOf);
}

const fieldProblem = (name: string): string =>
  directJobFields.includes(name) ? 'is set by the campaign' : 'is not a field of a player';

/** Takes the column names from the first line, in any order. Skips lines whose cells are all empty. */
async function* csvFields(options: ListOptions, rows: Rows<string[]>): Rows<Fields> {
  let columns: Columns | undefined;
  const fieldsOf = (row: Row<string[]> | BrokenRow): (Row<Fields> | BrokenRow)[] => {
    if ('problem' in row) return [row];
    if (columns === undefined) {
      columns = columnsOf(options, row.content);
      return [];
    }
    return row.content.every((cell) => cell === '') ? [] : [{ line: row.line, ...fieldsIn(columns, row.content) }];
  };
  let isEmpty = true;
  for await (const some of rows) {
    isEmpty &&= some.length === 0;
    yield some.flatMap(fieldsOf);
  }
  if (isEmpty) throw new Failure(`${options.path} is empty.`);
}

/** The field of each column; undefined for an ignored column. */
type Columns = (string | undefined)[];

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;

function columnsOf(options: ListOptions, cells: string[]): Columns {
  const { path, currency, ignoresColumns } = options;
  const allowed = allowedIn(options);
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const fail = (reason: string): never => {
    const found = cells.map((cell) => cell.trim().slice(0, 40) || '(nothing)').slice(0, 20);
    throw new Failure(`${path}: ${reason} Its first line has: ${found.join(', ')}.`);
  };
  const missing = required.filter((name) => !names.includes(name) && !(name === 'currency' && currency !== undefined));
  if (missing.length > 0) {
    const hint = missing.includes('currency') ? ' (or use --currency for all players)' : '';
    fail(
      `the first line must name the columns; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing${hint}.`,
    );
  }
  if (names.includes('currency') && currency !== undefined)
    fail("it has a currency column, so you can't use --currency.");
  const repeated = names.find((name, i) => allowed.includes(name) && names.indexOf(name) !== i);
  if (repeated !== undefined) fail(`it has the column ${repeated} twice.`);
  const unknown = cells
    .filter((_, i) => !allowed.includes(names[i] as string))
    .map((cell) => cell.trim() || '(nothing)');
  if (unknown.length > 0 && !ignoresColumns) {
    const may = `The columns of this job are ${allowed.join(', ')}`;
    fail(`it has unknown columns: ${unknown.slice(0, 20).join(', ')}. ${may}; --ignore-columns skips others.`);
  }
  return names.map((name) => (allowed.includes(name) ? name : undefined));
}

/**
 * Skips empty cells. Refuses a player_id with a quoted space at its start or end: it would be another player, and the
 * space is hard to see.
 */
function fieldsIn(columns: Columns, cells: string[]): { content: Fields } | { problem: string } {
  if (cells.length !== columns.length) {
    return { problem: `it has ${count(cells.length, 'field')} where the first line has ${columns.length}` };
  }
  const content: Fields = {};
  for (const [i, name] of columns.entries()) {
    const cell = cells[i]?.trim() ?? '';
    if (name === 'player_id' && cell !== cells[i]) return { problem: `${name} begins or ends with a space` };
    if (name === undefined || cell === '') continue;
    content[name] = name === 'quantity' && /^\d{1,9}$/.test(cell) ? Number(cell) : cell;
  }
  return { content };
}

// Parses rows from chunks of text: a CSV row is a list of cells, an NDJSON row is an object. Spaces around a cell are
// dropped, except within quotes. A row has the number of its first line in the file, from 1. The generators yield the
// rows of a whole chunk at once, because a list may have millions of rows and every yield has a cost.

export interface Row<T> {
  line: number;
  content: T;
}

/** A row that cannot be parsed. In CSV it ends the list, because the start of the next row is unknown. */
export interface BrokenRow {
  line: number;
  problem: string;
}

export type Rows<T> = AsyncGenerator<(Row<T> | BrokenRow)[]>;

const maxRowBytes = 64 * 1024;
const lineFeed = 0x0a;

/** Also yields the rows before a broken one. */
async function* csvRows(chunks: AsyncGenerator<Buffer>): Rows<string[]> {
  let rows: (Row<string[]> | BrokenRow)[] = [];
  const reader = csvReader(({ line, cells }) => rows.push({ line, content: cells }));
  /** Whether the rows could be parsed. */
  const read = (work: () => void): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof CsvFault)) throw error;
      rows.push({ line: error.line, problem: error.message });
      return false;
    }
  };
  for await (const chunk of chunks) {
    const isRead = read(() => reader.push(chunk.toString()));
    yield rows;
    if (!isRead) return;
    rows = [];
  }
  read(() => reader.end());
  yield rows;
}

async function* ndjsonRows(chunks: AsyncGenerator<Buffer>): Rows<object> {
  for await (const lines of linesOf(chunks)) {
    yield lines.filter(({ text }) => text === undefined || text.trim() !== '').map(ndjsonRow);
  }
}

interface Line {
  line: number;
  /** Undefined if the line is too long. */
  text: string | undefined;
}

function ndjsonRow({ line, text }: Line): Row<object> | BrokenRow {
  if (text === undefined) return { line, problem: `it is longer than ${maxRowBytes / 1024} KiB` };
  const content = objectIn(text);
  if (content === undefined) return { line, problem: 'it is not a JSON object' };
  const repeated = repeatedName(text);
  return repeated === undefined ? { line, content } : { line, problem: `it has ${JSON.stringify(repeated)} twice` };
}

async function* linesOf(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Line[]> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let bytes: Buffer = isTooLong || rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed)) {
      lines.push({ line: line++, text: isTooLong || end > maxRowBytes ? undefined : bytes.toString('utf8', 0, end) });
      isTooLong = false;
      bytes = bytes.subarray(end + 1);
    }
    isTooLong ||= bytes.length > maxRowBytes;
    rest = bytes;
    yield lines;
  }
  if (isTooLong || rest.length > 0) yield [{ line, text: isTooLong ? undefined : rest.toString() }];
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Finds a duplicate name, since parsers disagree on which of its values counts. The scanner for request bodies does not
 * fit here: it refuses objects with more fields than a request has, and a line may have more.
 */
function repeatedName(json: string): string | undefined {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name: string = JSON.parse(last);
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
    last = token;
  }
  return undefined;
}
