import type { Terminal } from './command.ts';
import { onSignals, sameSignalMs } from './signals.ts';

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
