import { type Cell, csvMark, csvRow } from '@freebets/contract/csv';

/** A table as a file that a spreadsheet opens as it is. */
export function saveCsv(fileName: string, rows: Cell[][]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvMark, ...rows.map(csvRow)], { type: 'text/csv' }));
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
