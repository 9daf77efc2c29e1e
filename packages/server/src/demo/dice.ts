/** Chances that fall the same way whenever they are thrown again. */
export interface Dice {
  /** From 0 up to, but not, 1. */
  next(): number;
  chance(of: number): boolean;
  /** From 0 to 1, and mostly small. */
  skewed(): number;
  /** Hours of a day, most of them near this one. */
  hourAround(hour: number): number;
  oneOf<T>(all: readonly T[]): T;
  /** One of those, and some of them again and again. */
  favourite<T>(all: readonly T[]): T;
  uuid(): string;
}

export function diceOf(seed: number): Dice {
  let state = seed;
  // Mulberry32: small, and good enough for stories.
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
