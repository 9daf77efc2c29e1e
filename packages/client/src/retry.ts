import { FreebetsError } from './freebets-error.ts';

export interface RetryLimits {
  /** How often a request is sent at most. */
  attempts: number;
  /** It is not sent again after an attempt that may have been carried out. */
  isOnce: boolean;
  attemptTimeoutMs: number;
  /** For all attempts and the pauses between them. */
  deadlineMs: number;
  signals: Signals;
}

/** Each of them ends it. */
type Signals = (AbortSignal | undefined)[];

/** The pause doubles with every attempt, so that a server that is restarted is waited for. */
const firstPauseMs = 400;
const longestPauseMs = 10_000;

/**
 * Tries until something is decided, or one of the limits is reached; then the last error is thrown, which also tells of the attempts
 * before it whether they may have been carried out. What the service asks for in `Retry-After` is waited for, and no pause is begun that
 * would outlast the deadline.
 */
export async function withRetries<T>(limits: RetryLimits, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { attempts, isOnce, attemptTimeoutMs, deadlineMs, signals } = limits;
  const throwIfEnded = () => {
    for (const signal of signals) signal?.throwIfAborted();
  };
  const endMs = performance.now() + deadlineMs;
  let mayHaveHappened = false;
  for (let tried = 1; ; tried++) {
    throwIfEnded();
    try {
      return await within(Math.min(attemptTimeoutMs, endMs - performance.now()), signals, attempt);
    } catch (error) {
      throwIfEnded();
      if (!(error instanceof FreebetsError)) throw error;
      mayHaveHappened ||= error.mayHaveHappened;
      Object.assign(error, { mayHaveHappened });
      if (!error.isRetryable || tried >= attempts || (isOnce && mayHaveHappened)) throw error;
      const pauseMs = pauseAfter(tried, error.retryAfterMs);
      if (performance.now() + pauseMs >= endMs) throw error;
      await pause(pauseMs, signals);
      // A busy process wakes up late.
      if (performance.now() >= endMs) throw error;
    }
  }
}

/** With jitter, so that what failed together does not come back together. */
function pauseAfter(tried: number, retryAfterMs = 0): number {
  return retryAfterMs + Math.random() * Math.min(firstPauseMs * 2 ** (tried - 1), longestPauseMs);
}

/** A longer time would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/** `AbortSignal.timeout` is not used: Node.js may end while it waits for nothing else, in the middle of a pause. */
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
