import { CsvError, Parser } from 'csv-parse';

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
const carriageReturn = 0x0d;

const separators = [',', ';', '\t'];

/** The one that the first line has most of. */
function separatorIn(firstLine: string): string {
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = separators.map((separator) => unquoted.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] as string;
}

/** Rows are gathered as the parser finds them: those before one that is broken must not be lost with it. */
export async function* csvRows(chunks: AsyncGenerator<Buffer>): Rows<string[]> {
  const lines = lineCounter();
  let rows: (Row<string[]> | BrokenRow)[] = [];
  let parser: Parser | undefined;
  const parserFor = (separator: string) => {
    const parser = new Parser({
      delimiter: separator,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      trim: true,
      max_record_size: maxRowBytes,
      // Its own count of lines is not taken: it counts a Windows line end within quotes twice.
      on_record(content: string[], { bytes }) {
        // Also of a line that has nothing but blanks in it, which the parser could pass over: the lines are counted by it.
        const line = lines.rowUpTo(bytes);
        if (content.length > 1 || content[0] !== '') rows.push({ line, content });
        return null;
      },
    });
    // Whoever writes to it is given the error.
    return parser.on('error', () => {});
  };
  /** The rows found in it, and then the one that is broken. */
  const parsed = async (parser: Parser, chunk: Buffer | undefined) => {
    const error = await write(parser, chunk);
    if (error !== undefined) rows.push({ line: lines.nextRow(), problem: problemOf(error) });
    const found = rows;
    rows = [];
    return { found, isBroken: error !== undefined };
  };
  for await (const chunk of chunks) {
    parser ??= parserFor(separatorIn(chunk.toString().split('\n', 1)[0] ?? ''));
    lines.add(chunk);
    const { found, isBroken } = await parsed(parser, chunk);
    yield found;
    if (isBroken) return;
  }
  if (parser !== undefined) yield (await parsed(parser, undefined)).found;
}

/** The end, where there is no chunk; what is wrong with it. */
function write(parser: Parser, chunk: Buffer | undefined): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const done = (error?: Error | null) => resolve(error ?? undefined);
    if (chunk === undefined) parser.end(done);
    else parser.write(chunk, done);
  });
}

function problemOf(error: Error): string {
  if (!(error instanceof CsvError)) throw error;
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote is opened and never closed';
    case 'INVALID_OPENING_QUOTE':
      return 'a quote stands in the middle of a field; a field with quotes in it is quoted, and its quotes are doubled';
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return 'something follows the closing quote of a field; a quote within quotes is doubled';
    case 'CSV_MAX_RECORD_SIZE':
      return `it is longer than ${maxRowBytes / 1024} KiB, or a quote is opened and not closed`;
    default:
      return 'it is not CSV';
  }
}

/** Finds the line of a row by the bytes before it; only what has not been asked for yet is kept. */
function lineCounter() {
  const chunks: Buffer[] = [];
  let line = 1;
  /** Bytes before the first chunk, and passed over in it. */
  let before = 0;
  let passed = 0;
  /** The chunk in which the next byte is. */
  const present = (): Buffer | undefined => {
    while (chunks[0] !== undefined && passed === chunks[0].length) {
      before += passed;
      passed = 0;
      chunks.shift();
    }
    return chunks[0];
  };
  /** Over the line ends that stand before a row; its line. */
  const nextRow = (): number => {
    for (let chunk = present(); chunk !== undefined; chunk = present()) {
      const byte = chunk[passed];
      if (byte !== lineFeed && byte !== carriageReturn) break;
      if (byte === lineFeed) line++;
      passed++;
    }
    return line;
  };
  return {
    add: (chunk: Buffer) => chunks.push(chunk),
    nextRow,
    /** The line on which the row begins that ends before this byte. */
    rowUpTo(end: number): number {
      const begins = nextRow();
      for (let chunk = present(); chunk !== undefined && before + passed < end; chunk = present()) {
        for (const stop = Math.min(end - before, chunk.length); passed < stop; passed++) {
          if (chunk[passed] === lineFeed) line++;
        }
      }
      return begins;
    },
  };
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
