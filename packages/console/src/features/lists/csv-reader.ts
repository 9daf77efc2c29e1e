// Rows from text that comes in chunks, as spreadsheets write it: commas, semicolons or tabs, cells in quotes with line ends in
// them, line ends of every system. Blanks around a cell are no part of it; those within quotes are. A row has the number of the
// line on which it begins, counted from 1.

export interface CsvRow {
  line: number;
  cells: string[];
  /** Why it cannot be read. */
  problem?: string;
}

const separators = [',', ';', '\t'];

/** The one that the first line has most of. */
function separatorIn(firstLine: string): string {
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '');
  const counts = separators.map((separator) => unquoted.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** A quote that is never closed would take the rest of the file for one cell. */
const longestCell = 10_000;

export function csvReader(onRow: (row: CsvRow) => void) {
  let separator: string | undefined;
  let waiting = '';
  let [cells, cell]: [string[], string] = [[], ''];
  let state: 'begin' | 'plain' | 'quoted' | 'closed' | 'over' = 'begin';
  let problem: string | undefined;
  let [line, firstLine] = [1, 1];
  let isAfterReturn = false;

  const endCell = () => {
    cells.push(state === 'plain' ? cell.trimEnd() : cell);
    [cell, state] = ['', 'begin'];
  };
  const endRow = () => {
    endCell();
    const isEmpty = cells.every((each) => each === '') && problem === undefined;
    if (!isEmpty) onRow({ line: firstLine, cells, ...(problem !== undefined && { problem }) });
    cells = [];
    problem = undefined;
    firstLine = line;
  };
  const inQuotes = (character: string) => {
    if (character === '"') state = 'closed';
    else cell += character;
    if (cell.length <= longestCell) return;
    problem = 'a quote begins here that is not closed';
    endRow();
  };
  const outsideQuotes = (character: string) => {
    if (character === separator) endCell();
    else if (character === '\n' || character === '\r') endRow();
    else if (character.trim() === '' && state !== 'plain') state = state === 'begin' ? 'begin' : 'over';
    else if (character === '"' && state === 'closed') {
      cell += '"';
      state = 'quoted';
    } else if (character === '"' && state === 'begin') state = 'quoted';
    else {
      if (state === 'closed' || state === 'over') problem = 'something follows a closing quote';
      else state = 'plain';
      cell += character;
    }
  };
  const take = (text: string) => {
    for (const character of text) {
      const isSecondOfPair = character === '\n' && isAfterReturn;
      isAfterReturn = character === '\r';
      if (isSecondOfPair && state !== 'quoted') continue;
      if (character === '\r' || (character === '\n' && !isSecondOfPair)) line += 1;
      if (state === 'quoted') inQuotes(character);
      else outsideQuotes(character);
    }
  };
  const begin = () => {
    separator = separatorIn(waiting.split(/[\r\n]/, 1)[0] ?? '');
    take(waiting);
    waiting = '';
  };
  return {
    push(text: string) {
      if (separator !== undefined) return take(text);
      waiting += text;
      if (/[\r\n]/.test(waiting)) begin();
    },
    end() {
      if (separator === undefined) begin();
      if (state === 'quoted') problem = 'a quote begins here that is not closed';
      if (cell !== '' || cells.length > 0 || problem !== undefined) endRow();
    },
  };
}
