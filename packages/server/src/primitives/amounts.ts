// Money, odds and time as exact integers: cents, ten-thousandths, milliseconds since 1970. The schema limits an amount
// to 10^15 cents and a coefficient to 10^10 ten-thousandths, so both are exact as numbers. Products and sums need
// bigint.

export type Cents = number;
export type CoefficientE4 = number;

// Business time and world time, both in milliseconds (see engine/clock.ts). A plain number fits both types, but one
// type does not fit the other.
export type Instant = number & { readonly kindOfTime?: 'business' };
export type WorldInstant = number & { readonly kindOfTime?: 'world' };

export const parseMoney = (text: string): Cents => Number(text.replace('.', ''));

/** Parses a sum, which may be larger than an amount. */
export const parseCents = (text: string): bigint => BigInt(text.replace('.', ''));

export function formatMoney(cents: Cents | bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function parseCoefficient(text: string): CoefficientE4 {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole + fraction.padEnd(4, '0'));
}

/** Formats with at least two decimals, and more only if they are significant: 1.20, 1.2345. */
export function formatCoefficient(coefficient: CoefficientE4): string {
  const digits = coefficient.toString().padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, '')}`;
}

/** Truncates to milliseconds. */
export const parseInstant = (text: string): Instant => Date.parse(text.replace(/(\.\d{3})\d+Z$/, '$1Z'));

/** The last instant with a four-digit year. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** For the bounds of a time range: rounds a finer fraction up to the next millisecond. */
export const parseBound = (text: string): Instant =>
  Math.min(parseInstant(text) + (/\.\d{3}\d*[1-9]\d*Z$/.test(text) ? 1 : 0), lastInstant);

// Formatting a time takes 1 µs, an issue formats seven, and the issues of a batch share most of them, so the latest few
// are cached.
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

/** Formats a time that may be null. The instant 0 is 1970, not missing. */
export const timeText = (at: Instant | WorldInstant | null): string | null => (at === null ? null : formatInstant(at));

const one: bigint = 10_000n;

/** The winnings of a bet, rounded down to the cent, without the stake unless the terms of the free bet return it. */
export function winOf(betAmount: Cents, coefficient: CoefficientE4, stakeReturned: boolean): bigint {
  const times = BigInt(coefficient) - (stakeReturned ? 0n : one);
  return (BigInt(betAmount) * times) / one;
}
