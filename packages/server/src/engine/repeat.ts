// The loop of every background worker: run, pause, repeat until stopped. Runs never overlap. An error is reported and
// does not end the loop. A pause does not keep the process alive.

export interface BackgroundWork {
  /** Ends a pause at once, and resolves when the current run has ended. */
  stop(): Promise<void>;
}

export interface Repeated extends BackgroundWork {
  /** Ends the current pause, so that the next run starts at once. Does nothing during a run. */
  runNow(): void;
}

export interface RepeatOptions {
  /** From the end of a run to the start of the next, unless the run returned another pause. */
  pauseMs: number;
  /** Pauses are longer by up to this fraction, so that servers which started together don't poll together. */
  jitter?: number;
  onFault(error: unknown): void;
}

/** The first run starts at once. A long run should end early when the signal aborts. */
export function repeat(
  work: (signal: AbortSignal) => Promise<number | undefined> | Promise<void>,
  { pauseMs, jitter = 0.1, onFault }: RepeatOptions,
): Repeated {
  const stopping = new AbortController();
  const { signal } = stopping;
  let pausing = new AbortController();
  const run = async () => {
    while (!signal.aborted) {
      let nextMs = pauseMs;
      pausing = new AbortController();
      try {
        nextMs = (await work(signal)) ?? pauseMs;
      } catch (error) {
        onFault(error);
      }
      await pause(nextMs * (1 + jitter * Math.random()), pausing.signal);
    }
  };
  const ended = run();
  return {
    runNow: () => pausing.abort(),
    stop() {
      stopping.abort();
      pausing.abort();
      return ended;
    },
  };
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal?.addEventListener('abort', end);
  });
}
