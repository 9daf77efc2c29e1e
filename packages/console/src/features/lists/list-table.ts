import { CsvFault, type CsvRow, csvReader } from '@freebets/contract/csv';

// An imported player list: its columns, their meaning and its rows. It is read in chunks with pauses, so that the page
// stays responsive.

const fields = ['player_id', 'currency', 'issue_id', 'bet_amount', 'quantity'] as const;
export type Field = (typeof fields)[number];

export interface ListTable {
  name: string;
  /** The header line; null if the first line is a player. */
  header: CsvRow | null;
  /** What each column is used as; null if it is ignored. */
  columns: (Field | null)[];
  rows: CsvRow[];
}

/** Recognised column names, the clearest first. */
const names: Record<Field, string[]> = {
  player_id: 'player_id playerid player user_id userid user customer_id account_id id username'.split(' '),
  currency: ['currency', 'currency_code', 'ccy'],
  issue_id: ['issue_id', 'issueid', 'free_bet_id'],
  bet_amount: ['bet_amount', 'betamount', 'amount'],
  quantity: ['quantity', 'bets'],
};
/** A campaign sets both of these fields. */
const ownFields: readonly Field[] = ['bet_amount', 'quantity'];
export const fieldsOf = (isOwn: boolean): Field[] => fields.filter((field) => isOwn || !ownFields.includes(field));

const plain = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** If several columns match a field, the one with the clearest name wins: "id" can be a row number. */
function columnsNamed(first: string[]): (Field | null)[] {
  const cells = first.map(plain);
  const placeOf = (field: Field) => names[field].map((name) => cells.indexOf(name)).find((place) => place !== -1);
  const places = fields.map(placeOf);
  return first.map((_, i) => fields[places.indexOf(i)] ?? null);
}

/** Treats the first line as a header if it contains a known column name. */
function guessed(name: string, first: CsvRow, rows: CsvRow[]): ListTable {
  const named = columnsNamed(first.cells);
  if (named.some((field) => field !== null)) return { name, header: first, columns: named, rows: rows.slice(1) };
  const columns = first.cells.map((cell, i): Field | null => {
    if (i === 0) return 'player_id';
    return i === 1 && /^[a-z0-9]{3,10}$/i.test(cell.trim()) ? 'currency' : null;
  });
  return { name, header: null, columns, rows };
}

/** The user's choice whether the first line is a header. The meaning of the columns stays. */
export function withHeader(table: ListTable, isNamed: boolean): ListTable {
  const rows = table.header ? [table.header, ...table.rows] : table.rows;
  const [first = null, ...rest] = rows;
  return isNamed ? { ...table, header: first, rows: rest } : { ...table, header: null, rows };
}

export const columnName = ({ header }: ListTable, place: number): string =>
  header?.cells[place]?.trim() || `Column ${place + 1}`;

/** The names of the ignored columns. */
export function columnsNotUsed(table: ListTable, isOwn: boolean): string[] {
  const used: (Field | null)[] = fieldsOf(isOwn);
  return table.columns.flatMap((field, i) => (used.includes(field) ? [] : [columnName(table, i)]));
}

/** The default currency: the only one available, unless an ignored column could contain others. */
export const onlyCurrency = ({ columns }: ListTable, currencies: string[]): string | null =>
  currencies.length === 1 && !columns.includes(null) ? (currencies[0] ?? null) : null;

const maxRows = 1_000_000;

class UnreadableList extends Error {}

const pause = () => new Promise((resolve) => setTimeout(resolve));
const tooLong = 'The list has more than 1,000,000 lines. Split it, or use "freebets job issue".';

async function readRows(chunks: AsyncIterable<string>): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  const reader = csvReader((row) => rows.push(row));
  let isFirst = true;
  for await (const chunk of chunks) {
    reader.push(isFirst ? chunk.replace(/^\ufeff/, '') : chunk);
    isFirst = false;
    if (rows.length > maxRows) throw new UnreadableList(tooLong);
    await pause();
  }
  reader.end();
  return rows;
}

/** Refuses a list with a misplaced quote: the players after it would silently be left out. */
export async function readTable(name: string, chunks: AsyncIterable<string>): Promise<ListTable> {
  const rows = await readRows(chunks).catch((error) => {
    throw error instanceof CsvFault ? new UnreadableList(`Line ${error.line}: ${error.message}.`) : error;
  });
  const [first] = rows;
  if (first === undefined) throw new UnreadableList('The list is empty.');
  return guessed(name, first, rows);
}

const chunkLength = 256 * 1024;

export async function* textChunks(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += chunkLength) yield text.slice(at, at + chunkLength);
}

/** Reads UTF-8, or UTF-16 with a byte order mark. Refuses other encodings, because they would garble player IDs. */
export async function* fileChunks(file: Blob): AsyncGenerator<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for (let at = 0; at < file.size; at += chunkLength)
      yield decoder.decode(await file.slice(at, at + chunkLength).arrayBuffer(), { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnreadableList('The file is not text in UTF-8. Save it as "CSV UTF-8" and try again.');
  }
}
