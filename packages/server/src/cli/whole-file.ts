import { randomUUID } from 'node:crypto';
import { createWriteStream, type Stats, type WriteStream } from 'node:fs';
import { access, chmod, chown, constants, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../failure.ts';

// A file that a command writes is there whole, or as it was before. A device, a pipe, and a file in a folder that is closed are written to as they are.

/** Where it is written, and where it is then to be. */
interface Place {
  path: string;
  draft: string;
  /** The file that is there. */
  before: Stats | undefined;
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
    const isOpenFolder = await mayWriteIn(path, found === undefined);
    const isReplaced = isOpenFolder && found?.isFile() !== false;
    return { path, draft: isReplaced ? `${path}.${randomUUID()}` : path, before: found };
  } catch (error) {
    throw notWritable(given, error as Error);
  }
}

/** The dot is there only if the folder is one. What is there already may be in one that is closed. */
const mayWriteIn = (path: string, isNew: boolean): Promise<boolean> =>
  access(`${dirname(path)}/.`, constants.W_OK).then(
    () => true,
    (error) => (isNew ? Promise.reject(error) : false),
  );

const notWritable = (path: string, { message }: Error): Failure =>
  new Failure(`${path} cannot be written: ${message}.`);

/** What the lines fail with is thrown as it is. */
export async function writeWhole(given: string, lines: AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
  const { path, draft, before } = await placeOf(given);
  const isReplaced = draft !== path;
  const file = createWriteStream(draft, { mode: before?.mode, flush: isReplaced });
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
    if (isReplaced) await takeItsPlace({ path, draft, before });
  } catch (error) {
    if (isReplaced) await remove(file, draft);
    throw isOfLines || signal?.aborted ? error : notWritable(given, error as Error);
  }
}

/** Whoever could read the file before still can. */
async function takeItsPlace({ path, draft, before }: Place): Promise<void> {
  if (before !== undefined) {
    if (process.getuid?.() === 0) await chown(draft, before.uid, before.gid);
    await chmod(draft, before.mode);
  }
  await rename(draft, path);
}

/** It may be just about to be opened, which would make it again. */
async function remove(file: WriteStream, path: string): Promise<void> {
  if (!file.closed) await new Promise((resolve) => file.once('close', resolve));
  await rm(path, { force: true });
}
