// Amounts are added as cents in BigInt, without rounding.

export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

export function amountOf(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Only for the height of a bar: may lose precision. */
export const barHeight = (amount: string | number): number => Number(amount);

// A typed number with decimals. The decimal separator can be a full stop or a comma, and so can the thousands
// separator. Ambiguous input is refused rather than guessed.

const form = /^(\d+|[1-9]\d{0,2}([,.'’ \u00a0\u2009\u202f])\d{3}(?:\2\d{3})*)(?:([.,])(\d*))?$/;
const ambiguous = /^[1-9]\d{0,2},\d{3}$/;

/**
 * Returns "5.00" for "5", "1.50" for "1,5", "1234.50" for "1.234,5"; undefined if the text is not a number or is
 * ambiguous like "1,500".
 */
export function decimalIn(typed: string, places: number): string | undefined {
  const text = typed.trim();
  const [, whole, between, mark, decimals = ''] = form.exec(text) ?? [];
  if (whole === undefined || decimals.length > places || ambiguous.test(text)) return undefined;
  if (mark !== undefined && mark === between) return undefined;
  return `${whole.replaceAll(/\D/g, '')}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** The error to show; undefined for a valid number and an empty field. */
export function decimalError(typed: string, places: number): string | undefined {
  const text = typed.trim();
  if (text === '' || decimalIn(text, places) !== undefined) return undefined;
  const quoted = `“${text.slice(0, 40)}”`;
  if (!ambiguous.test(text)) return `${quoted} is not a number with at most ${places} decimals, such as 1.50.`;
  const whole = text.replace(',', '');
  if (places < 3) return `${quoted} is ambiguous: write ${whole} without the comma.`;
  return `${quoted} can mean ${whole} or ${text.replace(',', '.')}: write it without the comma, or with a full stop.`;
}

// Thousands separators: comma, full stop, apostrophe, and any kind of space.
const grouped = /^[1-9]\d{0,2}([,.'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*$/;

/**
 * The digits of a whole number with or without separators: "40000" for "40,000". Undefined for anything else, such as
 * "40.5" or "4,00".
 */
export function wholeNumberIn(text: string): string | undefined {
  const written = text.trim();
  return /^\d+$/.test(written) || grouped.test(written) ? written.replaceAll(/\D/g, '') : undefined;
}
