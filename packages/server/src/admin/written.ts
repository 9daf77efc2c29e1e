import { Failure } from '../primitives/failure.ts';
import type { Terminal } from './command.ts';

// Whether what a command has to say has arrived. That nobody reads any more, as in "freebets client list | head -1", is no
// fault; that a disk is full is one.

/** Refuses to end well where something is missing. What is `lost` with it was to be shown only now, so that a reader must be there. */
export async function requireWritten(terminal: Terminal, lost?: string): Promise<void> {
  const error = await terminal.unwritten();
  if (error === undefined || (isHangUp(error) && lost === undefined)) return;
  throw new Failure(
    [`The output cannot be written: ${error.message}.`, ...(lost === undefined ? [] : [lost])].join(' '),
  );
}

const isHangUp = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE';

/** No faster than it is read, so that a long text is never held whole, and no longer. */
export async function writeAll(terminal: Terminal, pieces: AsyncIterable<string>, stopped: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    terminal.stdout.write(piece);
    if (await terminal.unwritten(stopped)) return requireWritten(terminal);
    stopped.throwIfAborted();
  }
}
