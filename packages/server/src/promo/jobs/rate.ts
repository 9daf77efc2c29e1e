/** A rate over the last few seconds. */
export interface Rate {
  add(count: number): void;
  /** Null if nothing was counted in the window. */
  perSecond(): number | null;
}

const windowMs = 5000;

export function measureRate(clock: () => number = () => performance.now()): Rate {
  const began = clock();
  const counted: { at: number; count: number }[] = [];
  const forgetOld = (now: number) => {
    while (counted[0] !== undefined && counted[0].at < now - windowMs) counted.shift();
  };
  return {
    add(count) {
      const at = clock();
      forgetOld(at);
      counted.push({ at, count });
    },
    perSecond() {
      const now = clock();
      forgetOld(now);
      const sum = counted.reduce((total, { count }) => total + count, 0);
      const ms = Math.min(now - began, windowMs);
      return sum === 0 || ms <= 0 ? null : Math.round((sum * 1000) / ms);
    },
  };
}
