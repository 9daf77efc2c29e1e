import { CsvFault, type CsvRow, csvReader } from '@freebets/contract/csv';

// A list as it was given: its columns, what each is taken for, and its rows. It is read in chunks, with a pause after each,
// so that the page stays alive.

const fields = ['player_id', 'currency', 'issue_id', 'bet_amount', 'quantity'] as const;
export type Field = (typeof fields)[number];

export interface ListTable {
  name: string;
  /** The line that names the columns; null where the first is a player already. */
  header: CsvRow | null;
  /** What each column is taken for; null for what is passed over. */
  columns: (Field | null)[];
  rows: CsvRow[];
}

/** What a column may be called, the clearest name first. */
const names: Record<Field, string[]> = {
  player_id: 'player_id playerid player user_id userid user customer_id account_id id username'.split(' '),
  currency: ['currency', 'currency_code', 'ccy'],
  issue_id: ['issue_id', 'issueid', 'free_bet_id'],
  bet_amount: ['bet_amount', 'betamount', 'amount'],
  quantity: ['quantity', 'bets'],
};
/** Where there is a campaign, it says both. */
const ownFields: readonly Field[] = ['bet_amount', 'quantity'];
export const fieldsOf = (isOwn: boolean): Field[] => fields.filter((field) => isOwn || !ownFields.includes(field));

const plain = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** Of columns that could be the same, the one with the clearest name is it: "id" may be the number of the row. */
function columnsNamed(first: string[]): (Field | null)[] {
  const cells = first.map(plain);
  const placeOf = (field: Field) => names[field].map((name) => cells.indexOf(name)).find((place) => place !== -1);
  const places = fields.map(placeOf);
  return first.map((_, i) => fields[places.indexOf(i)] ?? null);
}

/** A guess: the first line names the columns, unless nothing in it is such a name. */
function guessed(name: string, first: CsvRow, rows: CsvRow[]): ListTable {
  const named = columnsNamed(first.cells);
  if (named.some((field) => field !== null)) return { name, header: first, columns: named, rows: rows.slice(1) };
  const columns = first.cells.map((cell, i): Field | null => {
    if (i === 0) return 'player_id';
    return i === 1 && /^[a-z0-9]{3,10}$/i.test(cell.trim()) ? 'currency' : null;
  });
  return { name, header: null, columns, rows };
}

/** As somebody says who sees it: whether the first line names the columns. What they are taken for stays. */
export function withHeader(table: ListTable, isNamed: boolean): ListTable {
  const rows = table.header ? [table.header, ...table.rows] : table.rows;
  const [first = null, ...rest] = rows;
  return isNamed ? { ...table, header: first, rows: rest } : { ...table, header: null, rows };
}

export const columnName = ({ header }: ListTable, place: number): string =>
  header?.cells[place]?.trim() || `Column ${place + 1}`;

/** By their names. */
export function columnsNotUsed(table: ListTable, isOwn: boolean): string[] {
  const used: (Field | null)[] = fieldsOf(isOwn);
  return table.columns.flatMap((field, i) => (used.includes(field) ? [] : [columnName(table, i)]));
}

/** The currency of all players while nobody says it: the only one there is, unless a column that is passed over may name others. */
export const onlyCurrency = ({ columns }: ListTable, currencies: string[]): string | null =>
  currencies.length === 1 && !columns.includes(null) ? (currencies[0] ?? null) : null;

const mostRows = 1_000_000;

class UnreadableList extends Error {}

const pause = () => new Promise((resolve) => setTimeout(resolve));
const tooLong = 'The list has more than a million lines: split it, or give it by "freebets job issue".';

async function readRows(chunks: AsyncIterable<string>): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  const reader = csvReader((row) => rows.push(row));
  let isFirst = true;
  for await (const chunk of chunks) {
    reader.push(isFirst ? chunk.replace(/^\ufeff/, '') : chunk);
    isFirst = false;
    if (rows.length > mostRows) throw new UnreadableList(tooLong);
    await pause();
  }
  reader.end();
  return rows;
}

/** A list with a quote out of place is refused whole: who stands behind it would be left out, and nobody would see it. */
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

/** UTF-8, or UTF-16 as spreadsheets mark it; whatever else is refused, before it makes other players of these. */
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
