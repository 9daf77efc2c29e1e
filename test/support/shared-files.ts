import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

// The test files that share processes, and who has taken which: a file is taken by whoever makes a file with its number.

const variable = 'FREEBETS_TEST_SHARED';

/** For the processes that are started from here on. */
export function shareFiles(claims: string, files: string[]): void {
  process.env[variable] = JSON.stringify({ claims, files });
}

/** One after the other, those that no other process has taken. */
export function* sharedFiles(): Generator<string> {
  const { claims, files }: { claims: string; files: string[] } = JSON.parse(process.env[variable] ?? '');
  for (const [i, file] of files.entries()) if (isTaken(join(claims, String(i)))) yield file;
}

function isTaken(claim: string): boolean {
  try {
    closeSync(openSync(claim, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
