import type { Terminal } from './command.ts';
import { onSignals } from './signals.ts';

/** The terminal of this process. */
export function processTerminal(env: Terminal['env']): Terminal {
  const { stdout, stderr } = process;
  let failure: Error | undefined;
  stdout.on('error', (error) => {
    failure ??= error;
  });
  const unwritten = async () => {
    // Of a write that failed the stream tells a little later than of one that was taken.
    await new Promise<void>((resolve) => stdout.write('', () => setImmediate(resolve)));
    return failure;
  };
  return { env, stdout, stderr, unwritten, stopSignal };
}

/** Aborted by a signal, or when nothing can be written any more. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], stop);
  process.stdout.on('error', stop);
  return stopping.signal;
}
