/** No fault of ours: it is the reader's. */
export class NotReadOn extends Error {}

export interface ReadInTime<T> {
  chunks: AsyncIterable<T>;
  /** All is read, or it was broken off, and what made it has ended. */
  over: Promise<void>;
}

/**
 * The same for one reader, who must not let longer than this pass between two chunks: then what makes them is ended at once,
 * and the reader finds out when it reads on. A reader that ends before it has begun ends it too, as a generator alone would
 * not.
 */
export function readInTime<T>(made: AsyncGenerator<T>, patienceMs: number): ReadInTime<T> {
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let isGivenUp = false;
  const end = async () => {
    isOver = true;
    clearTimeout(impatience);
    try {
      await made.return(undefined);
    } finally {
      over.resolve();
    }
  };
  const giveUp = () => {
    isGivenUp = true;
    end().catch(() => {});
  };
  let impatience = setTimeout(giveUp, patienceMs);
  const next = async (): Promise<IteratorResult<T>> => {
    if (isGivenUp) throw new NotReadOn('nobody has read on for too long');
    clearTimeout(impatience);
    let isMore = false;
    try {
      const result = await made.next();
      isMore = !result.done;
      return result;
    } finally {
      if (!isMore) over.resolve();
      else if (!isOver) impatience = setTimeout(giveUp, patienceMs);
    }
  };
  const stop = async (): Promise<IteratorResult<T>> => {
    await end();
    return { done: true, value: undefined };
  };
  return { chunks: { [Symbol.asyncIterator]: () => ({ next, return: stop }) }, over: over.promise };
}
