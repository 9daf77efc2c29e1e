import { AsyncLocalStorage } from 'node:async_hooks';

// How a command at the terminal ends that has a database open, without what opens the database being told of the terminal.

export interface Ends {
  /** Signals wait from here on, until what is returned is called. */
  holdSignals(): () => void;
  /** Whether it has something to say that is shown only now: a database that does not close would keep it back. */
  isClosedLast: boolean;
}

type Close = () => Promise<void>;

const commands = new AsyncLocalStorage<{ holdSignals: Ends['holdSignals']; closings: Close[] | undefined }>();

/** Runs a command, with all that it has to say. */
export async function endingWell<T>({ holdSignals, isClosedLast }: Ends, run: () => Promise<T>): Promise<T> {
  const closings: Close[] = [];
  try {
    return await commands.run({ holdSignals, closings: isClosedLast ? closings : undefined }, run);
  } finally {
    for (const close of closings) await close();
  }
}

export const holdSignals = (): (() => void) => commands.getStore()?.holdSignals() ?? (() => {});

/** Now, or when the command has said what it has to say. */
export async function closeInTurn(close: Close): Promise<void> {
  const { closings } = commands.getStore() ?? {};
  if (closings === undefined) await close();
  else closings.push(close);
}
