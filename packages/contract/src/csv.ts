// Writes and reads tables as CSV (RFC 4180, UTF-8) that spreadsheets can open directly.

/** Byte order mark for the start of a file. Without it, spreadsheets mistake UTF-8 for another encoding. */
export const csvMark = '\ufeff';

/** Null is an empty cell. */
export type Cell = string | number | bigint | null;

/**
 * Text that a spreadsheet would run as a formula: at the start of a cell, and after a separator of other locales than
 * the comma. Includes the fullwidth forms of the signs. Quotes before a sign do not prevent a formula, because they may
 * open the cell.
 */
const formula = /(^|[;\t|\r\n])([\s"]*)(?=[=+\-@＝＋－＠])/g;
const blank = /^[\t\r]/;
const needsQuotes = /["',;\t\r\n]|^\s|\s$/;

/** A cell without protection against formulas, for files that programs read back. */
export const csvText = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A row with its line end. Prefixes formulas with an apostrophe, so that spreadsheets show them as text. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  return csvText((blank.test(cell) ? `'${cell}` : cell).replace(formula, "$1$2'"));
}

// Parses chunks of text into rows, as spreadsheets write them. Separators are commas, semicolons or tabs, or the
// separator in a first line such as "sep=;". Quoted cells may contain line ends, and line ends of all systems are
// accepted. Cells are trimmed, except within quotes. A row has the number of its first line, starting at 1. Rows with
// only empty cells are skipped.

export interface CsvRow {
  line: number;
  cells: string[];
}

/** A syntax error in a row. Parsing stops, because the start of the next row can't be determined. */
export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** Limits rows, because an unclosed quote would make the rest of the file one cell. */
const longestRow = 64 * 1024;

const faults = {
  open: 'a quote is opened and never closed',
  opening: 'a quote is in the middle of a cell; quote the whole cell and double the quotes in it',
  closing: 'something follows the closing quote of a cell; double a quote within quotes',
  length: `it is longer than ${longestRow / 1024} KiB, or a quote is opened and not closed`,
};

/** A vertical bar is a separator only after `sep=|`, because player ids may contain it. */
const separators = [',', ';', '\t'];

/** The separator in a first line such as `sep=;`, which spreadsheets support. */
const separatorSaid = (firstLine: string): string | undefined => /^"?sep=([^\w"])"?\s*$/i.exec(firstLine)?.[1];

/** The most frequent separator in the first line. */
function separatorIn(firstLine: string): string {
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = separators.map((separator) => unquoted.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] as string;
}

/** Throws a CsvFault after it has passed on all rows before the fault. */
export function csvReader(onRow: (row: CsvRow) => void) {
  let separator: string | undefined;
  let waiting = '';
  let [cells, cell]: [string[], string] = [[], ''];
  /** The cell: not begun, unquoted, within quotes, after a quote that may close it, or after the closing quote. */
  let state: 'begin' | 'plain' | 'quoted' | 'closed' | 'over' = 'begin';
  let [line, firstLine, length] = [1, 1, 0];
  let isAfterReturn = false;

  const fail = (fault: keyof typeof faults): never => {
    throw new CsvFault(firstLine, faults[fault]);
  };
  const endCell = () => {
    cells.push(state === 'plain' ? cell.trimEnd() : cell);
    [cell, state] = ['', 'begin'];
  };
  const endRow = () => {
    endCell();
    if (cells.some((each) => each !== '')) onRow({ line: firstLine, cells });
    cells = [];
    [firstLine, length] = [line, 0];
  };
  const takeQuote = () => {
    if (state === 'plain') fail('opening');
    if (state === 'over') fail('closing');
    if (state === 'closed') cell += '"';
    state = state === 'quoted' ? 'closed' : 'quoted';
  };
  const takeOutsideQuotes = (character: string) => {
    if (character === separator) endCell();
    else if (character === '\n' || character === '\r') endRow();
    else if (state === 'plain') cell += character;
    else if (character.trim() === '') state = state === 'begin' ? 'begin' : 'over';
    else if (state === 'begin') [cell, state] = [character, 'plain'];
    else fail('closing');
  };
  const take = (text: string) => {
    for (const character of text) {
      const isSecondOfPair = character === '\n' && isAfterReturn;
      isAfterReturn = character === '\r';
      if (isSecondOfPair && state !== 'quoted') continue;
      if (character === '\r' || (character === '\n' && !isSecondOfPair)) line += 1;
      if (++length > longestRow) fail('length');
      if (character === '"') takeQuote();
      else if (state === 'quoted') cell += character;
      else takeOutsideQuotes(character);
    }
  };
  const begin = () => {
    const first = waiting.split(/[\r\n]/, 1)[0] as string;
    const said = separatorSaid(first);
    separator = said ?? separatorIn(first);
    take(said === undefined ? waiting : waiting.slice(first.length));
  };
  return {
    push(text: string) {
      if (separator !== undefined) return take(text);
      waiting += text;
      if (/[\r\n]/.test(waiting) || waiting.length > longestRow) begin();
    },
    end() {
      if (separator === undefined) begin();
      if (state === 'quoted') fail('open');
      endRow();
    },
  };
}
