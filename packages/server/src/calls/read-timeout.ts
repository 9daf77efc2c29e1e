/** The reader stopped reading, which is no failure of this server. */
export class ReaderStopped extends Error {}

export interface TimedReads<T> {
  chunks: AsyncIterable<T>;
  /** Resolves when all chunks are read or the source has been ended early. */
  over: Promise<void>;
}

/**
 * Ends the source if its reader takes longer than this between two chunks; the next read then fails. It also ends the
 * source if the reader stops before its first read.
 */
export function withReadTimeout<T>(source: AsyncGenerator<T>, patienceMs: number): TimedReads<T> {
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let isAborted = false;
  const end = async () => {
    isOver = true;
    clearTimeout(impatience);
    try {
      await source.return(undefined);
    } finally {
      over.resolve();
    }
  };
  const abort = () => {
    isAborted = true;
    end().catch(() => {});
  };
  let impatience = setTimeout(abort, patienceMs);
  const next = async (): Promise<IteratorResult<T>> => {
    if (isAborted) throw new ReaderStopped('the reader has stopped');
    clearTimeout(impatience);
    let isMore = false;
    try {
      const result = await source.next();
      isMore = !result.done;
      return result;
    } finally {
      if (!isMore) over.resolve();
      else if (!isOver) impatience = setTimeout(abort, patienceMs);
    }
  };
  const stop = async (): Promise<IteratorResult<T>> => {
    await end();
    return { done: true, value: undefined };
  };
  return { chunks: { [Symbol.asyncIterator]: () => ({ next, return: stop }) }, over: over.promise };
}
