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
