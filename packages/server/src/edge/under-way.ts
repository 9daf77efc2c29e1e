// Bytes kept while a caller has to go on: incomplete bodies and unread responses. Each kind has a limit for the whole process. Beyond
// it, the oldest owner is dropped: a healthy caller is done within milliseconds, so that stalled callers make room for the others.

export interface BytesUnderWay<T> {
  /** Sets how many bytes the owner keeps. It may be dropped itself. */
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
