import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// The test files that share processes, and which process has taken which: a process takes a file by creating the
// claim with its number, and writes to the claim when the file has ended.

interface Shared {
  claims: string;
  /** Each of these files has its own process. */
  alone: string[];
  files: string[];
}

/** A file that has not ended by then hangs, even on a slow machine. */
export const hangsAfterMs = 300_000;

const variable = 'FREEBETS_TEST_SHARED';
const ended = 'ended';

/** For processes started later. */
export function shareFiles(shared: Shared): void {
  process.env[variable] = JSON.stringify(shared);
}

/**
 * The files that no other process has taken: one file that needs its own process, or all others, one after the other.
 */
export function* takeFiles(): Generator<string> {
  const { claims, alone, files }: Shared = JSON.parse(process.env[variable] ?? '');
  for (const [i, file] of [...alone, ...files].entries()) {
    const claim = join(claims, String(i));
    if (!isTaken(claim)) continue;
    yield file;
    writeFileSync(claim, ended);
    if (i < alone.length) return;
  }
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

/** The files whose process died, and the files that no process took. */
export const unfinishedFiles = ({ claims, alone, files }: Shared): string[] =>
  [...alone, ...files].filter((_, i) => !hasEnded(join(claims, String(i))));

function hasEnded(claim: string): boolean {
  try {
    return readFileSync(claim, 'utf8') === ended;
  } catch {
    return false;
  }
}
