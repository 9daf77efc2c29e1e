import type { Terminal } from './command.ts';

/** The terminal of this process. */
export function processTerminal(env: Terminal['env']): Terminal {
  const { stdout, stderr } = process;
  let failure: Error | undefined;
  stdout.on('error', (error) => {
    failure ??= error;
  });
  // A closed stderr must not end the command.
  stderr.on('error', () => {});
  const flush = async (stopped?: AbortSignal) => {
    await new Promise<void>((resolve) => {
      const done = () => {
        stopped?.removeEventListener('abort', done);
        // The stream reports a failed write a little later than a successful one.
        setImmediate(resolve);
      };
      stopped?.addEventListener('abort', done);
      stdout.write('', done);
      if (stopped?.aborted) done();
    });
    return failure;
  };
  return { env, stdout, stderr, flush, stopSignal, holdSignals };
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborted by a signal, or when stdout fails. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  onSignals(endSignals, stop);
  process.stdout.on('error', stop);
  return stopping.signal;
}

let holds = 0;
let releaseSignals = () => {};

function holdSignals(): () => void {
  if (holds === 0) releaseSignals = hold();
  holds += 1;
  return () => {
    holds -= 1;
    if (holds === 0) releaseSignals();
  };
}

/** Prints nothing if the command ends within a second of the signal. */
function hold(): () => void {
  let noticeTimer: NodeJS.Timeout | undefined;
  const offSignals = onSignals(endSignals, () => {
    noticeTimer = setTimeout(printNotice, sameSignalMs);
  });
  return () => {
    clearTimeout(noticeTimer);
    offSignals();
  };
}

const printNotice = () =>
  process.stderr.write('Finishing the work in progress. Repeat the signal to stop immediately.\n');

/** Ctrl-C goes to the whole process group, and npm forwards it too, so the same signal can arrive twice at once. */
const sameSignalMs = 1000;

/** Calls `end` on the first signal, and exits on a later one. Returns a function that removes the handlers. */
export function onSignals(signals: readonly NodeJS.Signals[], end: (signal: NodeJS.Signals) => void): () => void {
  let firstAt: number | undefined;
  const receive = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      end(signal);
    } else if (performance.now() - firstAt > sameSignalMs) process.exit(1);
  };
  for (const signal of signals) process.on(signal, receive);
  return () => {
    for (const signal of signals) process.off(signal, receive);
  };
}
