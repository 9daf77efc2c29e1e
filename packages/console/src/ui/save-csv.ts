// A table as a file that a spreadsheet opens as it is.

const formula = /^[=+\-@\t\r]/;
const quoted = /["',;\t\r\n]|^\s|\s$/;

/** What a spreadsheet would carry out as a formula gets an apostrophe in front. */
function cellText(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveCsv(fileName: string, rows: (string | number)[][]): void {
  const text = rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv' }));
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
