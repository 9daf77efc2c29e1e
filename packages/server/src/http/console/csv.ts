// Lines of a file for spreadsheets. What a spreadsheet would run as a formula is made plain text by the apostrophe in front.

const isFormula = /^[=+\-@\t\r]/;
const isPlainNumber = /^-?\d+(\.\d+)?$/;

function cellOf(text: string): string {
  const harmless = isFormula.test(text) && !isPlainNumber.test(text) ? `'${text}` : text;
  return /[",;'\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;
