import type { Terminal } from './command.ts';
import { onSignals } from './signals.ts';

/** The terminal of this process. */
export function processTerminal(env: Terminal['env']): Terminal {
  const { stdout, stderr } = process;
  // A reader that has gone away, as in "freebets client list | head -1", is no fault.
  stdout.on('error', () => {});
  return { env, stdout, stderr, stopSignal };
}

/** Aborted by a signal, or when nobody reads any more. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], stop);
  process.stdout.on('error', stop);
  return stopping.signal;
}
