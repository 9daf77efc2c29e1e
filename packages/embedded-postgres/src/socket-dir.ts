import type { Stats } from 'node:fs';
import { chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, EmbeddedError } from './embedded-error.ts';
import { isRoot, type Owner } from './run-as.ts';

/** It only names the socket: nothing listens on TCP. */
export const PORT = 5432;

/** The shortest limit of the systems we run on, that of macOS, with the closing zero; Linux has 108. */
const SOCKET_PATH_BYTES = 104;

/**
 * The socket lives in the cluster, which is closed to others already. A path too long for a socket gets a short directory
 * instead, always in /tmp: with TMPDIR two processes could disagree about the place and never meet. It is named for the
 * directory itself, not its path, so that a cluster moved away, its database still running, is not mistaken for a new one.
 */
export function socketDirOf(clusterDir: string, { dev, ino }: Stats): string {
  const path = join(clusterDir, `.s.PGSQL.${PORT}`);
  return Buffer.byteLength(path) < SOCKET_PATH_BYTES
    ? clusterDir
    : `/tmp/freebets-${dev.toString(36)}-${ino.toString(36)}`;
}

export async function makeSocketDir(socketDir: string, clusterDir: string, owner: Owner): Promise<void> {
  if (socketDir === clusterDir) return;
  try {
    await mkdir(socketDir, { mode: 0o700 });
    if (isRoot()) await chown(socketDir, owner.uid, owner.gid);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  await checkSocketDir(socketDir, clusterDir, owner);
}

/** Anybody may have made a directory of this name in /tmp, to listen in: it must be the owner's, and closed. */
export async function checkSocketDir(socketDir: string, clusterDir: string, owner: Owner): Promise<void> {
  if (socketDir === clusterDir) return;
  const found = await lstat(socketDir);
  const ours = found.uid === owner.uid || (isRoot() && found.uid === 0);
  if (found.isDirectory() && ours && (found.mode & 0o077) === 0) return;
  throw new EmbeddedError(`The database needs ${socketDir} for its socket, but that is somebody else's: remove it.`);
}

/** Whoever starts the database just now may have put a socket there, and then it stays. */
export async function removeSocketDir(socketDir: string, clusterDir: string): Promise<void> {
  if (socketDir !== clusterDir) await rmdir(socketDir).catch(() => undefined);
}
