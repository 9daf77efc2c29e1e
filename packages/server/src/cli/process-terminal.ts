import type { Terminal } from './command.ts';
import { onSignals } from './signals.ts';

/** The terminal of this process. */
export function processTerminal(env: Terminal['env']): Terminal {
  const { stdout, stderr } = process;
  let failure: Error | undefined;
  stdout.on('error', (error) => {
    failure ??= error;
  });
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

/** Aborted by a signal, or when nothing can be written any more. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], stop);
  process.stdout.on('error', stop);
  return stopping.signal;
}

function holdSignals(): () => void {
  return onSignals(['SIGINT', 'SIGTERM'], (signal) => {
    // A command that goes on until it is told to end does so.
    if (process.listenerCount(signal) > 1) return;
    process.stderr.write('What is under way is finished first; told once more, it is broken off.\n');
  });
}
