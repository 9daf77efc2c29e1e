import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { access, constants, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../failure.ts';

// A file that a command writes is there whole, or as it was before. A device or a pipe is written to as it is.

/** Where it is written, and where it is then to be. */
interface Place {
  path: string;
  draft: string;
  /** Of the file that is there. */
  mode?: number;
}

/** Nothing is opened: a command that comes to nothing leaves no file behind, and empties none. */
export async function requireWritable(path: string): Promise<void> {
  await placeOf(path);
}

async function placeOf(given: string): Promise<Place> {
  try {
    // What a link names is replaced, not the link.
    const path = await realpath(given).catch(() => given);
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new Error('it is a directory');
    if (found !== undefined) await access(path, constants.W_OK);
    if (found?.isFile() === false) return { path, draft: path };
    // The dot is there only if the folder is one.
    await access(`${dirname(path)}/.`, constants.W_OK);
    return { path, draft: `${path}.${randomUUID()}`, ...(found && { mode: found.mode }) };
  } catch (error) {
    throw notWritable(given, error as Error);
  }
}

const notWritable = (path: string, { message }: Error): Failure =>
  new Failure(`${path} cannot be written: ${message}.`);

/** What the lines fail with is thrown as it is. */
export async function writeWhole(given: string, lines: AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
  const { path, draft, mode } = await placeOf(given);
  const file = createWriteStream(draft, { mode, flush: true });
  let isOfLines = false;
  async function* taken() {
    try {
      yield* lines;
    } catch (error) {
      isOfLines = true;
      throw error;
    }
  }
  try {
    await pipeline(taken(), file, { signal });
    if (draft !== path) await rename(draft, path);
  } catch (error) {
    if (draft !== path) await remove(file, draft);
    throw isOfLines || signal?.aborted ? error : notWritable(given, error as Error);
  }
}

/** It may be just about to be opened, which would make it again. */
async function remove(file: WriteStream, path: string): Promise<void> {
  if (!file.closed) await new Promise((resolve) => file.once('close', resolve));
  await rm(path, { force: true });
}
