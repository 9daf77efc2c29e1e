// Between thousands: a comma, a full stop, an apostrophe, or a space, also one at which no line is broken.
const grouped = /^[1-9]\d{0,2}([,.'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*$/;

/** The digits of a whole number as other programs write it: "40000" for "40,000". Undefined for anything else, such as "40.5" or "4,00". */
export function wholeNumberIn(text: string): string | undefined {
  const written = text.trim();
  return /^\d+$/.test(written) || grouped.test(written) ? written.replaceAll(/\D/g, '') : undefined;
}
