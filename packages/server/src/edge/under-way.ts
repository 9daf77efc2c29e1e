// Bytes kept because somebody else has to go on: bodies that have not come whole, answers that have not been read. Each
// kind has a bound for the whole process. Beyond it the one that has been kept longest gives way: who means well is done
// within milliseconds, so that those who stall make room for the others, and not the other way round.

export interface BytesUnderWay<T> {
  /** How many this one keeps, in all. It may have to give way itself. */
  keep(owner: T, bytes: number): void;
  release(owner: T): void;
}

export function boundBytes<T>(bound: number, giveWay: (owner: T) => void): BytesUnderWay<T> {
  const kept = new Map<T, number>();
  let total = 0;
  const release = (owner: T) => {
    total -= kept.get(owner) ?? 0;
    kept.delete(owner);
  };
  return {
    release,
    keep(owner, bytes) {
      total += bytes - (kept.get(owner) ?? 0);
      kept.set(owner, bytes);
      for (const longest of kept.keys()) {
        if (total <= bound) break;
        release(longest);
        giveWay(longest);
      }
    },
  };
}
