import { chown, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, EmbeddedError } from './embedded-error.ts';
import { isRoot, type Owner } from './run-as.ts';

/** It only names the socket: nothing listens on TCP. */
export const PORT = 5432;
export const SOCKET = `.s.PGSQL.${PORT}`;

/** The shortest limit of the systems we run on, that of macOS, with the closing zero; Linux has 108. */
const SOCKET_PATH_BYTES = 104;

/**
 * The socket lives in the cluster, which is closed to others. A path too long for a socket gets a short directory instead,
 * always in /tmp: with TMPDIR two processes could disagree about the place and never meet.
 */
export function socketDirOf(clusterDir: string, clusterName: string): string {
  return Buffer.byteLength(join(clusterDir, SOCKET)) < SOCKET_PATH_BYTES ? clusterDir : `/tmp/${clusterName}`;
}

/** Anybody may have made a directory of this name in /tmp, to listen in: it must be the owner's, and closed. */
export async function makeSocketDir(socketDir: string, owner: Owner): Promise<void> {
  try {
    await mkdir(socketDir, { mode: 0o700 });
    if (isRoot()) await chown(socketDir, owner.uid, owner.gid);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(socketDir);
  if (found.isDirectory() && found.uid === owner.uid && (found.mode & 0o077) === 0) return;
  throw new EmbeddedError(`The database needs ${socketDir} for its socket, but that is somebody else's: remove it.`);
}
