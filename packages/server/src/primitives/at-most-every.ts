/** All who ask meanwhile share one reading. One that failed is not kept. */
export function atMostEvery<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
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

/** The same of each of many things, as one is named. Only so many are kept: the one that nobody has asked for the longest is forgotten. */
export function eachAtMostEvery<Of, T>(
  { ms, most, nameOf }: { ms: number; most: number; nameOf(of: Of): string },
  read: (of: Of) => Promise<T>,
): (of: Of) => Promise<T> {
  const kept = new Map<string, () => Promise<T>>();
  return (of) => {
    const name = nameOf(of);
    const known = kept.get(name) ?? atMostEvery(ms, () => read(of));
    kept.delete(name);
    kept.set(name, known);
    for (const longestAgo of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(longestAgo);
    }
    return known();
  };
}
