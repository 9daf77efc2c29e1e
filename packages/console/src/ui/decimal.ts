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
