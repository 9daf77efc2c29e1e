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
