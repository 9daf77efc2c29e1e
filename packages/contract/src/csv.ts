// Tables as files: CSV by RFC 4180, in UTF-8, that a spreadsheet opens as it is.

/** At the beginning of a file: without it a spreadsheet takes UTF-8 for another encoding. */
export const csvMark = '\ufeff';

/** A number is itself; what is missing is an empty cell. */
export type Cell = string | number | bigint | null;

/**
 * What a spreadsheet would carry out as a formula: at the beginning of a cell, and behind what separates cells where commas do
 * not. The wide forms of the signs count too, and quotes in front count for nothing: there they may open the cell.
 */
const formula = /(^|[;\t|\r\n])([\s"]*)(?=[=+\-@＝＋－＠])/g;
const blank = /^[\t\r]/;
const needsQuotes = /["',;\t\r\n]|^\s|\s$/;

/** A text as a cell, just as it is: for files that programs read back. */
export const csvText = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One row with its end. What begins like a formula gets an apostrophe in front, and is shown as the text it is. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  return csvText((blank.test(cell) ? `'${cell}` : cell).replace(formula, "$1$2'"));
}

// Rows from text that comes in chunks, as spreadsheets write it: commas, semicolons or tabs, or what a first line such as "sep=;"
// says; cells in quotes with line ends in them, line ends of every system. Blanks around a cell are no part of it; those within
// quotes are. A row has the number of the line on which it begins, counted from 1. Rows with nothing in their cells are passed over.

export interface CsvRow {
  line: number;
  cells: string[];
}

/** A quote out of place. It is the end of the rows: where the next would begin cannot be known. */
export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** A quote that is never closed would take the rest of the file for one cell. */
const longestRow = 64 * 1024;

const faults = {
  open: 'a quote is opened and never closed',
  opening: 'a quote stands in the middle of a cell; a cell with quotes in it is quoted, and its quotes are doubled',
  closing: 'something follows the closing quote of a cell; a quote within quotes is doubled',
  length: `it is longer than ${longestRow / 1024} KiB, or a quote is opened and not closed`,
};

/** Bars are none, unless the first line says so: ids of players may have them. */
const separators = [',', ';', '\t'];

/** What a first line says that is there for nothing else, as spreadsheets read it. */
const separatorSaid = (firstLine: string): string | undefined => /^"?sep=([^\w"])"?\s*$/i.exec(firstLine)?.[1];

/** The one that the first line has most of. */
function separatorIn(firstLine: string): string {
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = separators.map((separator) => unquoted.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] as string;
}

/** Throws a CsvFault when all rows before it have been handed on. */
export function csvReader(onRow: (row: CsvRow) => void) {
  let separator: string | undefined;
  let waiting = '';
  let [cells, cell]: [string[], string] = [[], ''];
  /** Of the cell: not begun, without quotes, within them, just behind one that may have closed it, and behind that. */
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
