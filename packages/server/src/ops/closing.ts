import { AsyncLocalStorage } from 'node:async_hooks';

// Lets a command control how its database closes, without a dependency of the database code on the command line.

export interface Ends {
  /** Defers signals until the returned function is called. */
  holdSignals(): () => void;
  /** Whether to close the database only after the output, which a hanging database would hold back. */
  isClosedLast: boolean;
}

type Close = () => Promise<void>;

const commands = new AsyncLocalStorage<{ holdSignals: Ends['holdSignals']; closings: Close[] | undefined }>();

/** Runs a command, including its output, then closes deferred resources. */
export async function withCommandEnd<T>({ holdSignals, isClosedLast }: Ends, run: () => Promise<T>): Promise<T> {
  const closings: Close[] = [];
  try {
    return await commands.run({ holdSignals, closings: isClosedLast ? closings : undefined }, run);
  } finally {
    for (const close of closings) await close();
  }
}

export const holdSignals = (): (() => void) => commands.getStore()?.holdSignals() ?? (() => {});

/** Closes now, or after the output of the command. */
export async function closeInTurn(close: Close): Promise<void> {
  const { closings } = commands.getStore() ?? {};
  if (closings === undefined) await close();
  else closings.push(close);
}
