// The loop under all work in the background: work, pause, and again, until it is stopped. A run never overlaps the one
// before it. A fault is reported and does not end the loop. No pause keeps the process alive.

export interface BackgroundWork {
  /** Ends a pause at once, and resolves when the run under way has ended. */
  stop(): Promise<void>;
}

export interface Repeated extends BackgroundWork {
  /** Ends the pause, so that the next run starts at once. A run under way is not the next one. */
  hurry(): void;
}

export interface Rhythm {
  /** From the end of a run to the start of the next, unless the run has returned another. */
  pauseMs: number;
  /** A pause is longer by up to this share, so that servers which started together do not ask together. */
  jitter?: number;
  onFault(error: unknown): void;
}

/** The first run starts at once. A run that takes long should end early when the signal says that the loop is stopped. */
export function repeat(
  work: (signal: AbortSignal) => Promise<number | undefined> | Promise<void>,
  { pauseMs, jitter = 0.1, onFault }: Rhythm,
): Repeated {
  const stopping = new AbortController();
  const { signal } = stopping;
  let resting = new AbortController();
  const run = async () => {
    while (!signal.aborted) {
      let nextMs = pauseMs;
      resting = new AbortController();
      try {
        nextMs = (await work(signal)) ?? pauseMs;
      } catch (error) {
        onFault(error);
      }
      await pause(nextMs * (1 + jitter * Math.random()), resting.signal);
    }
  };
  const ended = run();
  return {
    hurry: () => resting.abort(),
    stop() {
      stopping.abort();
      resting.abort();
      return ended;
    },
  };
}

/** Resolves after so long, and at once when the signal is given. */
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
