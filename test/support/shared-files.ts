import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// The test files that share processes, and who has taken which: a file is taken by whoever makes the claim with its number,
// and has come to its end when that says so.

interface Shared {
  claims: string;
  /** Each of these has a process to itself. */
  alone: string[];
  files: string[];
}

/** What has not ended by then never will, however slow the machine is. */
export const hangsAfterMs = 300_000;

const variable = 'FREEBETS_TEST_SHARED';
const ended = 'ended';

/** For the processes that are started from here on. */
export function shareFiles(shared: Shared): void {
  process.env[variable] = JSON.stringify(shared);
}

/** Those that no other process has taken: a file that needs a process to itself, or else all the others, one after the other. */
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

/** Those under which their process has died, and those that nobody was left to take. */
export const unfinishedFiles = ({ claims, alone, files }: Shared): string[] =>
  [...alone, ...files].filter((_, i) => !hasEnded(join(claims, String(i))));

function hasEnded(claim: string): boolean {
  try {
    return readFileSync(claim, 'utf8') === ended;
  } catch {
    return false;
  }
}
