// Money, odds and time as exact whole numbers: cents, ten-thousandths, milliseconds since 1970.
// The schema bounds an amount to 10^15 cents and a coefficient to 10^10 ten-thousandths, so both are exact as numbers;
// whatever multiplies or sums them must use bigint.

export type Cents = number;
export type CoefficientE4 = number;

// Two kinds of time, both in milliseconds: by one a partner's things are decided, the other is the world's (see engine/clock.ts).
// A number fits both; what is known to be one of them does not fit the other.
export type Instant = number & { readonly kindOfTime?: 'business' };
export type WorldInstant = number & { readonly kindOfTime?: 'world' };

export const parseMoney = (text: string): Cents => Number(text.replace('.', ''));

/** Of a sum, which may be longer than an amount. */
export const parseCents = (text: string): bigint => BigInt(text.replace('.', ''));

export function formatMoney(cents: Cents | bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function parseCoefficient(text: string): CoefficientE4 {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole + fraction.padEnd(4, '0'));
}

/** With at least two decimals, and more only where they say something: 1.20, 1.2345. */
export function formatCoefficient(coefficient: CoefficientE4): string {
  const digits = coefficient.toString().padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, '')}`;
}

/** Of a fraction finer than a millisecond the rest is cut off. */
export const parseInstant = (text: string): Instant => Date.parse(text.replace(/(\.\d{3})\d+Z$/, '$1Z'));

/** The last that can be written with a year of four digits. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** For what is to be at this time or later, or before it: of a finer fraction the next millisecond is meant. */
export const parseBound = (text: string): Instant =>
  Math.min(parseInstant(text) + (/\.\d{3}\d*[1-9]\d*Z$/.test(text) ? 1 : 0), lastInstant);

// Writing a time out takes 1 µs, an issue needs seven, and the issues of a batch share most of them: so the latest few are
// kept.
const keptTimes = 8;
const instants: (Instant | WorldInstant)[] = [];
const texts: string[] = [];
let oldest = 0;

export function formatInstant(instant: Instant | WorldInstant): string {
  for (let i = 0; i < keptTimes; i++) if (instants[i] === instant) return texts[i] as string;
  const text = new Date(instant).toISOString();
  instants[oldest] = instant;
  texts[oldest] = text;
  oldest = (oldest + 1) % keptTimes;
  return text;
}

/** Of a time that may be missing. The first instant of all, 1970, is 0 and not missing. */
export const timeText = (at: Instant | WorldInstant | null): string | null => (at === null ? null : formatInstant(at));

const one: bigint = 10_000n;

/** What a won bet pays, rounded down to the cent: without its stake, unless the terms of its free bet return it. */
export function winOf(betAmount: Cents, coefficient: CoefficientE4, stakeReturned: boolean): bigint {
  const times = BigInt(coefficient) - (stakeReturned ? 0n : one);
  return (BigInt(betAmount) * times) / one;
}
