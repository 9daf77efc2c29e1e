import { CsvFault, csvReader } from '@freebets/contract/csv';

// The rows of a list of players, from text in chunks: of CSV, each a list of cells; of NDJSON, each an object. Blanks around a
// cell are no part of it; those within quotes are. A row has the number of the line on which it begins, counted from 1 in the
// file as it is. Rows go on together, those of a chunk at a time: there may be millions, and every generator between takes its
// turn for each thing it hands on.

export interface Row<T> {
  line: number;
  content: T;
}

/** A row that cannot be read. Of CSV it is the last: where the next begins cannot be known. */
export interface BrokenRow {
  line: number;
  problem: string;
}

export type Rows<T> = AsyncGenerator<(Row<T> | BrokenRow)[]>;

const maxRowBytes = 64 * 1024;
const lineFeed = 0x0a;

/** Those before one that is broken are not lost with it. */
export async function* csvRows(chunks: AsyncGenerator<Buffer>): Rows<string[]> {
  let rows: (Row<string[]> | BrokenRow)[] = [];
  const reader = csvReader(({ line, cells }) => rows.push({ line, content: cells }));
  /** Whether it can be read. */
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

export async function* ndjsonRows(chunks: AsyncGenerator<Buffer>): Rows<object> {
  for await (const lines of linesOf(chunks)) {
    yield lines.filter(({ text }) => text === undefined || text.trim() !== '').map(ndjsonRow);
  }
}

interface Line {
  line: number;
  /** Absent where it is too long. */
  text: string | undefined;
}

function ndjsonRow({ line, text }: Line): Row<object> | BrokenRow {
  if (text === undefined) return { line, problem: `it is longer than ${maxRowBytes / 1024} KiB` };
  const content = objectIn(text);
  if (content === undefined) return { line, problem: 'it is not an object of JSON' };
  const repeated = repeatedName(text);
  return repeated === undefined ? { line, content } : { line, problem: `it names ${JSON.stringify(repeated)} twice` };
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
 * Of two values of one name a reader would take the first, and another the last. The scan of bodies is not for this: it refuses objects
 * with more fields than a request has, which a line may have.
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
