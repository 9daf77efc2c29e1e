import { randomUUID } from 'node:crypto';
import { constants, openSync, type Stats } from 'node:fs';
import { access, chown, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, isAbsolute } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../primitives/failure.ts';
import { ownerOnly, restrictToOwner } from './owner-only.ts';

// A command writes a file completely or leaves the old one in place, and only the owner can read the file. A device, a
// pipe, a file in a folder without write permission, and a file that could not keep its owner are written in place.

interface Place {
  path: string;
  /** What is there. */
  before: Stats | undefined;
  /** It is written here, and then takes the place; where there is none, in the place itself. */
  draft: string | undefined;
}

/** Nothing is opened: a command that comes to nothing leaves no file behind, and empties none. */
export async function requireWritable(path: string): Promise<void> {
  await placeOf(path);
}

async function placeOf(given: string): Promise<Place> {
  try {
    const before = await statusOf(given);
    if (before?.isDirectory()) throw new Error('it is a directory');
    // What a link names is replaced, not the link.
    const path = before === undefined ? await namedBy(given) : await realpath(given).catch(() => given);
    if (before === undefined) await requireOpenFolder(path);
    else await access(path, constants.W_OK);
    const isReplaced = before === undefined || (before.isFile() && isKept(before) && (await isInOpenFolder(path)));
    return { path, before, draft: isReplaced ? `${path}.${randomUUID()}` : undefined };
  } catch (error) {
    throw notWritable(given, error as Error);
  }
}

const statusOf = (path: string): Promise<Stats | undefined> =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Where there is nothing yet, though there may be a link to it. What `..` is, behind a folder that is a link itself, only the system knows. */
async function namedBy(path: string): Promise<string> {
  const named = await readlink(path).catch(() => undefined);
  if (named === undefined) return path;
  return namedBy(isAbsolute(named) ? named : `${dirname(path)}/${named}`);
}

/** The dot is there only if the folder is one. */
const requireOpenFolder = (path: string): Promise<void> => access(`${dirname(path)}/.`, constants.W_OK);

const isInOpenFolder = (path: string): Promise<boolean> =>
  requireOpenFolder(path).then(
    () => true,
    () => false,
  );

/** Whether another file can be given to the same owner and group. */
function isKept({ uid, gid }: Stats): boolean {
  const own = process.geteuid?.();
  return own === 0 || (uid === own && process.getgroups?.().includes(gid) === true);
}

const notWritable = (path: string, { message }: Error): Failure =>
  new Failure(`${path} cannot be written: ${message}.`);

/** What the lines fail with is thrown as it is. */
export async function writeWhole(given: string, lines: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  const place = await placeOf(given);
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
    await pipeline(taken(), await opened(place, signal), { signal });
    await takeItsPlace(place);
  } catch (error) {
    if (place.draft !== undefined) await rm(place.draft, { force: true });
    throw isOfLines || signal.aborted ? error : notWritable(given, error as Error);
  }
}

async function opened({ path, before, draft }: Place, signal: AbortSignal): Promise<Writable> {
  if (before?.isFIFO()) return openedPipe(path, signal);
  const file =
    draft === undefined ? await open(path, constants.O_WRONLY | constants.O_TRUNC) : await open(draft, 'wx', ownerOnly);
  restrictToOwner(file.fd);
  return file.createWriteStream({ flush: before?.isFile() ?? true });
}

const pipePollMs = 100;

/** To wait in the system for who reads a pipe, or is slow to, would let nobody end it. */
async function openedPipe(path: string, signal: AbortSignal): Promise<Writable> {
  for (;;) {
    try {
      return new Socket({ fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), readable: false });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await delay(pipePollMs, undefined, { signal });
  }
}

async function takeItsPlace({ path, before, draft }: Place): Promise<void> {
  if (draft === undefined) return;
  if (before !== undefined) await chown(draft, before.uid, before.gid);
  await rename(draft, path);
}
