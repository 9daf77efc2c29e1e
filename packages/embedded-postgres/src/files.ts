import { open, readFile, rm } from 'node:fs/promises';
import { codeOf } from './embedded-error.ts';
import { isRoot, type Owner } from './run-as.ts';

/** Fails if there is anything of this name, also a link that leads elsewhere. */
export async function writeNew(path: string, text: string, owner: Owner): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    if (isRoot()) await file.chown(owner.uid, owner.gid);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

export async function replace(path: string, text: string, owner: Owner): Promise<void> {
  await rm(path, { force: true });
  await writeNew(path, text, owner);
}

export async function readIfThere(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
}
