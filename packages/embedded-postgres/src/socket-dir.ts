import { chown, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, EmbeddedError } from './embedded-error.ts';
import { isRoot, type Owner } from './run-as.ts';

/** Only part of the socket's name: PostgreSQL does not listen on TCP. */
export const PORT = 5432;
export const SOCKET = `.s.PGSQL.${PORT}`;

/** The limit on macOS, with the final zero byte. Linux allows 108. */
const SOCKET_PATH_BYTES = 104;

/**
 * The socket is in the cluster directory, which is closed to other users. If that path is too long for a socket, it is
 * in a short directory in /tmp. TMPDIR is ignored, because two processes may have different values of it.
 */
export function socketDirOf(clusterDir: string, clusterName: string): string {
  return Buffer.byteLength(join(clusterDir, SOCKET)) < SOCKET_PATH_BYTES ? clusterDir : `/tmp/${clusterName}`;
}

/** Requires that the directory belongs to `owner` and is closed: in /tmp any user may have made it to intercept. */
export async function makeSocketDir(socketDir: string, owner: Owner): Promise<void> {
  try {
    await mkdir(socketDir, { mode: 0o700 });
    if (isRoot()) await chown(socketDir, owner.uid, owner.gid);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(socketDir);
  if (found.isDirectory() && found.uid === owner.uid && (found.mode & 0o077) === 0) return;
  throw new EmbeddedError(
    `The database needs ${socketDir} for its socket, but that belongs to another user: remove it.`,
  );
}
