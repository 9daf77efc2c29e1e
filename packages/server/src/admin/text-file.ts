import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Failure } from '../primitives/failure.ts';

// A text file that is read in chunks, so that it may be of any size. It must be UTF-8; what a byte-order mark adds is left out.

const chunkBytes = 64 * 1024;
const lineFeed = 0x0a;
const byteOrderMark = Buffer.from('\ufeff');

export interface TextFile {
  /** Each ends with a whole character. */
  chunks: AsyncGenerator<Buffer>;
  /** Of every byte of the file, in hex; when all chunks have been read. */
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
    // It is read more than once, which a pipe or a terminal does not allow.
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

/** A character of several bytes that has begun in the last three, and goes on in the next chunk, is left for it. */
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
