import type { Terminal } from './command.ts';

/** The terminal of this process. */
export function processTerminal(env: Terminal['env']): Terminal {
  const { stdout, stderr } = process;
  // A reader that has gone away, as in "freebets client list | head -1", is no fault.
  stdout.on('error', () => {});
  return { env, stdout, stderr, stopSignal };
}

/** npm may hand Ctrl-C on to a program that has had it from the terminal already. */
const sameSignalMs = 1000;

/** Aborted by a signal, or when nobody reads any more. Another signal, a while later, does not wait for the end. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let impatientFrom = Number.POSITIVE_INFINITY;
  const stop = () => {
    if (performance.now() > impatientFrom) process.exit(1);
    if (!stopping.signal.aborted) impatientFrom = performance.now() + sameSignalMs;
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.stdout.on('error', () => stopping.abort());
  return stopping.signal;
}
