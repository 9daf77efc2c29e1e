import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Files for commands to read, removed when the process ends. Several test files may share the process.

export const folder = mkdtempSync(join(tmpdir(), 'freebets-files-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** Writes a file with this text, or this object as JSON; returns the path. */
export function fileOf(content: string | Buffer | object): string {
  const path = join(folder, `${++files}.json`);
  const isWritten = typeof content === 'string' || Buffer.isBuffer(content);
  writeFileSync(path, isWritten ? content : JSON.stringify(content));
  return path;
}
