import type { Terminal } from './command.ts';

/** The terminal of this process. */
export function processTerminal(env: Terminal['env']): Terminal {
  const { stdout, stderr } = process;
  let failure: Error | undefined;
  stdout.on('error', (error) => {
    failure ??= error;
  });
  // What is said there is of no use to a reader who is gone, and must not end what is under way.
  stderr.on('error', () => {});
  const unwritten = async (stopped?: AbortSignal) => {
    await new Promise<void>((resolve) => {
      const done = () => {
        stopped?.removeEventListener('abort', done);
        // Of a write that failed the stream tells a little later than of one that was taken.
        setImmediate(resolve);
      };
      stopped?.addEventListener('abort', done);
      stdout.write('', done);
      if (stopped?.aborted) done();
    });
    return failure;
  };
  return { env, stdout, stderr, unwritten, stopSignal, holdSignals };
}

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborted by a signal, or when nothing can be written any more. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  onSignals(ending, stop);
  process.stdout.on('error', stop);
  return stopping.signal;
}

let holds = 0;
let letGo = () => {};

function holdSignals(): () => void {
  if (holds === 0) letGo = hold();
  holds += 1;
  return () => {
    holds -= 1;
    if (holds === 0) letGo();
  };
}

/** What ends within a second of the signal needs no word about it. */
function hold(): () => void {
  let saying: NodeJS.Timeout | undefined;
  const offSignals = onSignals(ending, () => {
    saying = setTimeout(sayThatItWaits, sameSignalMs);
  });
  return () => {
    clearTimeout(saying);
    offSignals();
  };
}

const sayThatItWaits = () =>
  process.stderr.write('What is under way is finished first; told once more, it is broken off.\n');

/** What is sent to a whole group of processes, as Ctrl-C is, comes twice at once where npm passes it on besides. */
const sameSignalMs = 1000;

/** The first signal asks for the end; a later one does not wait for it. What is returned takes that back. */
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
