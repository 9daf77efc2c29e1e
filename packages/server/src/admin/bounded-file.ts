import { closeSync, openSync, readSync } from 'node:fs';
import { Failure } from '../primitives/failure.ts';

const mebibyte = 1024 * 1024;

/** A file, pipe or device that is read into memory; one that has more, as a device that never ends does, is refused. */
export function readBounded(path: string, mostMib: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    // One for all of it: a pipe gives a few bytes at a time.
    const chunk = Buffer.alloc(mebibyte);
    for (let size = 0; ; ) {
      const bytes = readSync(file, chunk);
      if (bytes === 0) return Buffer.concat(chunks);
      size += bytes;
      if (size > mostMib * mebibyte) throw new Failure(`${path} has more than ${mostMib} MiB.`);
      chunks.push(Buffer.from(chunk.subarray(0, bytes)));
    }
  } finally {
    closeSync(file);
  }
}
