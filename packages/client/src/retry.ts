import { FreebetsError } from './freebets-error.ts';

export interface RetryLimits {
  maxRetries: number;
  /** Not sent again after an attempt that may have been carried out. */
  isOnce: boolean;
  /** The timeout of one attempt. */
  timeoutMs: number;
  /** The timeout of all attempts and the pauses between them. */
  totalTimeoutMs: number;
  signals: Signals;
}

/** Any of them aborts the call. */
type Signals = (AbortSignal | undefined)[];

/** The pause doubles with every attempt, to outlast a restart of the server. */
const firstPauseMs = 400;
const longestPauseMs = 10_000;

/**
 * Retries until an attempt succeeds, fails for good, or a limit is reached. Then throws the last error, whose
 * `mayHaveHappened` covers all attempts. Waits as long as `Retry-After` asks, and starts no pause that would end after
 * `totalTimeoutMs`.
 */
export async function withRetries<T>(
  limits: RetryLimits,
  attempt: (signal: AbortSignal, number: number) => Promise<T>,
): Promise<T> {
  const { maxRetries, isOnce, timeoutMs, totalTimeoutMs, signals } = limits;
  const throwIfEnded = () => {
    for (const signal of signals) signal?.throwIfAborted();
  };
  const endMs = performance.now() + totalTimeoutMs;
  let mayHaveHappened = false;
  for (let tried = 1; ; tried++) {
    throwIfEnded();
    try {
      const ms = Math.min(timeoutMs, endMs - performance.now());
      return await within(ms, signals, (ended) => attempt(ended, tried));
    } catch (error) {
      throwIfEnded();
      if (!(error instanceof FreebetsError)) throw error;
      mayHaveHappened ||= error.mayHaveHappened;
      Object.assign(error, { mayHaveHappened });
      if (!error.isRetryable || tried > maxRetries || (isOnce && mayHaveHappened)) throw error;
      const pauseMs = pauseAfter(tried, error.retryAfterMs);
      if (performance.now() + pauseMs >= endMs) throw error;
      await pause(pauseMs, signals);
      // In a busy process the timer may fire late.
      if (performance.now() >= endMs) throw error;
    }
  }
}

/** Adds jitter, so that callers that failed together do not retry together. */
function pauseAfter(tried: number, retryAfterMs = 0): number {
  return retryAfterMs + Math.random() * Math.min(firstPauseMs * 2 ** (tried - 1), longestPauseMs);
}

/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Avoids `AbortSignal.timeout`, because its timer does not keep Node.js running: a pause could end the process. */
async function within<T>(ms: number, signals: Signals, work: (ended: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort(signals.find((signal) => signal?.aborted)?.reason);
  const timeOut = () => controller.abort(new DOMException(`No answer within ${Math.round(ms)} ms.`, 'TimeoutError'));
  const timer = setTimeout(timeOut, Math.min(ms, longestTimerMs));
  for (const signal of signals) signal?.addEventListener('abort', end);
  if (signals.some((signal) => signal?.aborted)) end();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener('abort', end);
  }
}

export const pause = (ms: number, signals: Signals): Promise<unknown> =>
  within(ms, signals, async (ended) => {
    if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve));
  });
