import { open, readFile, rm } from 'node:fs/promises';
import { codeOf } from './embedded-error.ts';
import { isRoot, type Owner } from './run-as.ts';

/** Replaces a file with a new one. Never writes through a link. */
export async function replace(path: string, text: string, owner: Owner): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    if (isRoot()) await file.chown(owner.uid, owner.gid);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

export async function readIfThere(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
}
