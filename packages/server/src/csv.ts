// Tables as files: CSV by RFC 4180, in UTF-8, that a spreadsheet opens as it is.

/** At the beginning of a file: without it a spreadsheet takes UTF-8 for another encoding. */
export const csvMark = '\ufeff';

/** A number is itself; what is missing is an empty cell. */
export type Cell = string | number | bigint | null;

/** What a spreadsheet would carry out as a formula. */
const formula = /^[=+\-@\t\r]/;
const quoted = /["',;\t\r\n]|^\s|\s$/;

/** One row with its end. A text that begins like a formula gets an apostrophe in front, and is shown as the text it is. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
