import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { access, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../primitives/failure.ts';

// Reads a UTF-8 text file of any size in chunks, without its byte-order mark.

const chunkBytes = 64 * 1024;
const lineFeed = 0x0a;
const byteOrderMark = Buffer.from('\ufeff');

export interface TextFile {
  /** Chunks never split a character. */
  chunks: AsyncGenerator<Buffer>;
  /** The hash of the whole file in hex. Call it only after reading all chunks. */
  sha256(): string;
}

export function readTextFile(path: string): TextFile {
  const hash = createHash('sha256');
  return { chunks: textOf(path, (bytes) => hash.update(bytes)), sha256: () => hash.digest('hex') };
}

async function* textOf(path: string, onBytes: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  let isFirst = true;
  let lines = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of bytesOf(path)) {
    onBytes(bytes);
    const chunk = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const end = endOfWholeCharacters(chunk);
    rest = chunk.subarray(end);
    let text = chunk.subarray(0, end);
    if (text.length === 0) continue;
    if (!isUtf8(text)) throw notUtf8(path, lines + linesBeforeFault(text));
    lines += linesIn(text);
    if (isFirst && text.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
      text = text.subarray(byteOrderMark.length);
    }
    isFirst = false;
    yield text;
  }
  if (rest.length > 0) throw notUtf8(path, lines);
}

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`);
  });
  try {
    // Callers read the file more than once, which a pipe or a terminal does not allow.
    if (!(await file.stat()).isFile()) throw new Failure(`${path} is not a file.`);
    for (;;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafeSlow(chunkBytes) });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Excludes an incomplete multi-byte character at the end of the chunk; the next chunk completes it. */
function endOfWholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}

function linesBeforeFault(bytes: Buffer): number {
  let lines = 0;
  for (let from = 0; ; lines++) {
    const end = bytes.indexOf(lineFeed, from);
    if (end === -1 || !isUtf8(bytes.subarray(from, end))) return lines;
    from = end + 1;
  }
}

const notUtf8 = (path: string, linesBefore: number): Failure =>
  new Failure(`${path}, line ${linesBefore + 1}: this is not UTF-8. Save the file as UTF-8 and try again.`);

const mebibyte = 1024 * 1024;

/** Reads a file, pipe or device into memory. Fails above the limit, since a device may never end. */
export function readBounded(path: string, mostMib: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    // Reuses one buffer, because a pipe returns a few bytes at a time.
    const chunk = Buffer.alloc(mebibyte);
    for (let size = 0; ; ) {
      const bytes = readSync(file, chunk);
      if (bytes === 0) return Buffer.concat(chunks);
      size += bytes;
      if (size > mostMib * mebibyte) throw new Failure(`${path} is larger than ${mostMib} MiB.`);
      chunks.push(Buffer.from(chunk.subarray(0, bytes)));
    }
  } finally {
    closeSync(file);
  }
}

// Files with data of players or secrets are readable by their owner only, under any umask, and also if the file
// existed with a wider mode.

export const ownerOnly = 0o600;

/**
 * Sets the mode of an open file. Devices and pipes stay as they are, and so does another user's file, whose mode only
 * that user can change.
 */
export function restrictToOwner(fd: number): void {
  if (!fstatSync(fd).isFile()) return;
  try {
    fchmodSync(fd, ownerOnly);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

// A command writes a file completely or leaves the old one in place, and only the owner can read the file. A device, a
// pipe and another user's file are written in place.

interface Target {
  path: string;
  /** The status of the existing file, if there is one. */
  before: Stats | undefined;
  isReplaced: boolean;
}

/** Opens nothing, so that a command that fails early leaves no file behind. */
export async function requireWritable(path: string): Promise<void> {
  await targetOf(path);
}

async function targetOf(given: string): Promise<Target> {
  try {
    const before = await statusOf(given);
    if (before?.isDirectory()) throw new Error('it is a directory');
    // Replaces the target of a link, not the link.
    const path = before === undefined ? given : await realpath(given).catch(() => given);
    const isReplaced = before === undefined || (before.isFile() && before.uid === process.geteuid?.());
    if (before !== undefined) await access(path, constants.W_OK);
    if (isReplaced) await access(`${dirname(path)}/.`, constants.W_OK);
    return { path, before, isReplaced };
  } catch (error) {
    throw notWritable(given, error as Error);
  }
}

const statusOf = (path: string): Promise<Stats | undefined> =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

const notWritable = (path: string, { message }: Error): Failure =>
  new Failure(`${path} cannot be written: ${message}.`);

/** Rethrows an error from `lines` unchanged. */
export async function writeWhole(given: string, lines: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  const { path, before, isReplaced } = await targetOf(given);
  const draft = isReplaced ? `${path}.${randomUUID()}` : path;
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
    const output = before?.isFIFO() ? await openedPipe(path, signal) : await openedFile(draft, isReplaced);
    await pipeline(taken(), output, { signal });
    if (isReplaced) await rename(draft, path);
  } catch (error) {
    if (isReplaced) await rm(draft, { force: true });
    throw isOfLines || signal.aborted ? error : notWritable(given, error as Error);
  }
}

async function openedFile(path: string, isNew: boolean): Promise<Writable> {
  const file = await open(path, isNew ? 'wx' : constants.O_WRONLY | constants.O_TRUNC, ownerOnly);
  restrictToOwner(file.fd);
  return file.createWriteStream({ flush: isNew });
}

const pipePollMs = 100;

/** Polls, because a blocking open of a pipe without a reader cannot be interrupted. */
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
