/** Caches the result of `read` for `ms`. Concurrent calls share one read. A failure is not cached. */
export function cacheFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let keptUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (last === undefined || performance.now() > keptUntil) {
      keptUntil = Number.POSITIVE_INFINITY;
      last = read();
      last.then(
        () => {
          keptUntil = performance.now() + ms;
        },
        () => {
          last = undefined;
        },
      );
    }
    return last;
  };
}

/** The same for many keys, named by `nameOf`. Keeps at most `most` results and evicts the least recently used. */
export function cacheEachFor<Of, T>(
  { ms, most, nameOf }: { ms: number; most: number; nameOf(of: Of): string },
  read: (of: Of) => Promise<T>,
): (of: Of) => Promise<T> {
  const kept = new Map<string, () => Promise<T>>();
  return (of) => {
    const name = nameOf(of);
    const known = kept.get(name) ?? cacheFor(ms, () => read(of));
    kept.delete(name);
    kept.set(name, known);
    for (const longestAgo of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(longestAgo);
    }
    return known();
  };
}
