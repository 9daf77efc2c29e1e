import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Files for commands to read, all gone when the process ends, which may be that of several test files.

export const folder = mkdtempSync(join(tmpdir(), 'freebets-files-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** Writes a file with this content, an object as JSON; its path. */
export function fileOf(content: string | Buffer | object): string {
  const path = join(folder, `${++files}.json`);
  const isWritten = typeof content === 'string' || Buffer.isBuffer(content);
  writeFileSync(path, isWritten ? content : JSON.stringify(content));
  return path;
}
