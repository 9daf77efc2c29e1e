/** Random numbers that repeat with the same seed. */
export interface Dice {
  /** At least 0 and less than 1. */
  next(): number;
  chance(of: number): boolean;
  /** From 0 to 1, mostly small. */
  skewed(): number;
  /** Hours of a day, most of them near the given hour. */
  hourAround(hour: number): number;
  oneOf<T>(all: readonly T[]): T;
  /** One of the given items, some of them often. */
  favourite<T>(all: readonly T[]): T;
  uuid(): string;
}

export function diceOf(seed: number): Dice {
  let state = seed;
  // Mulberry32: short, and random enough for demo data.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const at = <T>(all: readonly T[], share: number): T => all[Math.floor(share * all.length)] as T;
  const hex = (digits: number) =>
    Math.floor(next() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return {
    next,
    chance: (of) => next() < of,
    skewed: () => next() ** 3,
    hourAround: (hour) => Math.min(23.99, Math.max(0, hour + (next() + next() + next() - 1.5) * 4)),
    oneOf: (all) => at(all, next()),
    favourite: (all) => at(all, next() ** 2),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(8)}${hex(4)}`,
  };
}
