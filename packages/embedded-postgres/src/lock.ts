/**
 * A file lock that the system releases when its process ends, for any reason. Node.js has no file locks, but its SQLite
 * does: this opens an empty file as a database and uses its transactions as locks. It never writes to the file.
 */
import { closeSync, fchownSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { codeOf } from './embedded-error.ts';
import { isRoot, type Owner } from './run-as.ts';

/** Any number of processes can hold `shared`, with one more as `first`. `alone` excludes every other holder. */
export type Hold = 'shared' | 'first' | 'alone';

const STATEMENTS: Record<Hold, string> = {
  shared: 'BEGIN; SELECT count(*) FROM sqlite_schema',
  first: 'BEGIN IMMEDIATE',
  alone: 'BEGIN EXCLUSIVE',
};

const BUSY = 5;

export type Lock = ReturnType<typeof openLock>;

/** Keeps the databases from garbage collection, which would release the locks. */
const open = new Set<DatabaseSync>();

/** Nothing else in this process may open the file: closing it would release the lock, as with all POSIX locks. */
function makeFile(path: string, owner: Owner): void {
  try {
    const file = openSync(path, 'wx', 0o600);
    if (isRoot()) fchownSync(file, owner.uid, owner.gid);
    closeSync(file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

export function openLock(path: string, owner: Owner) {
  makeFile(path, owner);
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  const file = new DatabaseSync(url, { timeout: 0 });
  open.add(file);
  const drop = () => {
    if (file.isTransaction) file.exec('ROLLBACK');
  };
  return {
    /** Releases the current hold, then takes the new one. Returns false at once if another holder forbids it. */
    take(hold: Hold): boolean {
      drop();
      try {
        file.exec(`PRAGMA journal_mode = memory; ${STATEMENTS[hold]}`);
        return true;
      } catch (error) {
        drop();
        if ((error as { errcode?: number }).errcode === BUSY) return false;
        throw error;
      }
    },
    drop,
    close() {
      open.delete(file);
      file.close();
    },
  };
}
