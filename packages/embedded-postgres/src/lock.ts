/**
 * A lock that the system lets go when its process ends, however it ends. Node.js has none for files, but the SQLite within it
 * has to have one: an empty file is opened as a database, and its transactions are the locks. Nothing is ever written.
 */
import { closeSync, fchownSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { codeOf } from './embedded-error.ts';
import { isRoot, type Owner } from './run-as.ts';

/** Any number may hold it shared, one besides them as the first, and one alone only if nobody else holds it at all. */
export type Hold = 'shared' | 'first' | 'alone';

const STATEMENTS: Record<Hold, string> = {
  shared: 'BEGIN; SELECT count(*) FROM sqlite_schema',
  first: 'BEGIN IMMEDIATE',
  alone: 'BEGIN EXCLUSIVE',
};

const BUSY = 5;

export type Lock = ReturnType<typeof openLock>;

/** Kept from being collected as garbage, which would let them go. */
const open = new Set<DatabaseSync>();

/** Nothing else in this process may open the file: closing it would let the lock go, as is the rule for such locks. */
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
    /** Never waits; false if somebody else's hold forbids it. What was held before is let go first. */
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
