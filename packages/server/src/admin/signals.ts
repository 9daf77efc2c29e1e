/** What is sent to a whole group of processes, as Ctrl-C is, comes twice at once where npm passes it on besides. */
export const sameSignalMs = 1000;

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
