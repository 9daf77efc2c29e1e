// Sums of amounts: whole cents of any size, so that nothing is rounded.

export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

export function amountOf(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** For the height of a bar, and nothing else. */
export const drawn = (amount: string | number): number => Number(amount);

// A number with decimals as somebody types it. Here a full stop stands before the decimals; others write a comma there, and between
// thousands either of them. What can mean both is refused rather than guessed.

const form = /^(\d+|[1-9]\d{0,2}([,.'’ \u00a0\u2009\u202f])\d{3}(?:\2\d{3})*)(?:([.,])(\d*))?$/;
const ambiguous = /^[1-9]\d{0,2},\d{3}$/;

/** Such as "5.00" for "5", "1.50" for "1,5", "1234.50" for "1.234,5". Undefined for what is none, and for "1,500". */
export function decimalIn(typed: string, places: number): string | undefined {
  const text = typed.trim();
  const [, whole, between, mark, decimals = ''] = form.exec(text) ?? [];
  if (whole === undefined || decimals.length > places || ambiguous.test(text)) return undefined;
  if (mark !== undefined && mark === between) return undefined;
  return `${whole.replaceAll(/\D/g, '')}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** Why it is not read; nothing where it is, or while the field is empty. */
export function whyNoDecimal(typed: string, places: number): string | undefined {
  const text = typed.trim();
  if (text === '' || decimalIn(text, places) !== undefined) return undefined;
  const said = `“${text.slice(0, 40)}”`;
  if (!ambiguous.test(text)) return `${said} is no number with at most ${places} decimals, such as 1.50.`;
  const whole = text.replace(',', '');
  if (places < 3) return `${said} is read as no number here: write ${whole} without the comma.`;
  return `${said} can mean ${whole} or ${text.replace(',', '.')}: write it without the comma, or with a full stop.`;
}

// Between thousands: a comma, a full stop, an apostrophe, or a space, also one at which no line is broken.
const grouped = /^[1-9]\d{0,2}([,.'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*$/;

/** The digits of a whole number as other programs write it: "40000" for "40,000". Undefined for anything else, such as "40.5" or "4,00". */
export function wholeNumberIn(text: string): string | undefined {
  const written = text.trim();
  return /^\d+$/.test(written) || grouped.test(written) ? written.replaceAll(/\D/g, '') : undefined;
}
