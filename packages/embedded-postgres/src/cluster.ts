/**
 * The cluster on disk. It is created in `postgres.new-<random>` and then renamed, so a killed initdb leaves no partial
 * cluster in place. A process that creates or prepares a cluster holds a lock, so any partial cluster it finds is
 * abandoned.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { codeOf, EmbeddedError, messageOf, sentence } from './embedded-error.ts';
import { replace } from './files.ts';
import {
  commandAs,
  insideOf,
  isHandedOver,
  isRoot,
  NAMED,
  namesOfUsers,
  type Owner,
  ownName,
  PRIVATE,
  self,
} from './run-as.ts';
import { socketDirOf } from './socket-dir.ts';

const run = promisify(execFile);

export const SUPERUSER = 'freebets';

/** A data directory: the path from the caller, for messages, and its real path. */
export interface DataDirectory {
  dataDir: string;
  real: string;
  owner: Owner;
}

export interface Cluster {
  dir: string;
  /** Identifies the processes and the socket of the cluster. Stays the same if the directory is moved. */
  name: string;
  logFile: string;
  socketDir: string;
  owner: Owner;
}

/** Refuses an unusable directory before writing to it. */
export async function findDataDirectory(dataDir: string): Promise<DataDirectory> {
  if (!isRoot()) ownName();
  try {
    await makeFolder(dataDir);
    await fs.access(dataDir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    const real = await fs.realpath(dataDir);
    const { uid, gid } = await fs.stat(real);
    const found = await findCluster(join(real, 'postgres'));
    if (found && found.uid !== self().uid && !isRoot()) throw anotherUsers(dataDir, found.uid);
    return { dataDir, real, owner: { uid, gid } };
  } catch (cause) {
    if (cause instanceof EmbeddedError) throw cause;
    throw new EmbeddedError(`The data directory ${dataDir} cannot be written: ${sentence(messageOf(cause))}`, {
      cause,
    });
  }
}

/** Makes the parents too. Node.js never returns from `recursive` where no directory can be made, as in /proc. */
async function makeFolder(path: string, isParentThere = false): Promise<void> {
  await fs.mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    if (codeOf(error) === 'EEXIST' && (await fs.stat(path)).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || isParentThere) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path, true);
  });
}

function anotherUsers(dataDir: string, uid: number): EmbeddedError {
  const text = `The database in ${dataDir} belongs to another user (uid ${uid}): start as that user or as root, or choose another DATA_DIR.`;
  return new EmbeddedError(text);
}

/** Skips the sync to disk if commits need not be durable. */
export async function findOrMakeCluster(
  { real }: DataDirectory,
  binaries: Binaries,
  isDurable: boolean,
  signal: AbortSignal,
): Promise<Cluster> {
  const names = await fs.readdir(real);
  await Promise.all(names.filter((name) => name.startsWith('postgres.new-')).map((name) => remove(join(real, name))));
  const path = join(real, 'postgres');
  if (!(await findCluster(path))) {
    await makeCluster(path, (fresh) => initialise(fresh, binaries, isDurable ? [] : ['--no-sync'], signal));
    await syncDir(real);
  }
  const found = await findCluster(path);
  if (!found) throw new EmbeddedError(`${path} is in the way: it is not empty, and not a PostgreSQL cluster.`);
  await checkVersion(path, binaries);
  const dir = await fs.realpath(path);
  const name = nameOf(found);
  const owner = isHandedOver(found.uid) ? PRIVATE : { uid: found.uid, gid: found.gid };
  return { dir, name, logFile: join(real, 'postgres.log'), socketDir: socketDirOf(dir, name), owner };
}

async function findCluster(dir: string): Promise<Stats | undefined> {
  try {
    const found = await fs.stat(dir);
    await fs.stat(join(dir, 'PG_VERSION')).catch((error) => {
      // EACCES means that another user owns a cluster here. The caller reports whose it is.
      if (codeOf(error) !== 'EACCES') throw error;
    });
    return found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const nameOf = ({ dev, ino }: Stats) => `freebets-cluster-${dev.toString(36)}-${ino.toString(36)}`;

/** Whether another cluster is in its place. A cluster that is only missing may come back. */
export async function isReplaced({ dir, name }: Cluster): Promise<boolean> {
  const found = await fs.stat(dir).catch(() => undefined);
  return found !== undefined && nameOf(found) !== name;
}

async function checkVersion(dir: string, binaries: Binaries): Promise<void> {
  const version = (await fs.readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  if (version === binaries.major) return;
  const text = `The database in ${dir} was made by PostgreSQL ${version}, and this is PostgreSQL ${binaries.major}: move its data over with pg_dump, or choose another DATA_DIR.`;
  throw new EmbeddedError(text);
}

async function makeCluster(dir: string, initialise: (fresh: string) => Promise<void>): Promise<void> {
  const closed = `${dir}.new-${randomBytes(4).toString('hex')}`;
  const fresh = join(closed, 'cluster');
  try {
    await fs.mkdir(closed, { mode: 0o700 });
    await fs.mkdir(fresh, { mode: 0o700 });
    if (isRoot()) await fs.chown(fresh, NAMED.uid, NAMED.gid);
    await initialise(fresh);
    if (isRoot()) await handOver(fresh);
    await fs.rename(fresh, dir).catch((error) => {
      // The caller detects the obstacle and refuses it.
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await remove(closed);
  }
}

async function initialise(fresh: string, binaries: Binaries, more: string[], signal: AbortSignal): Promise<void> {
  const flags = [...more, '-U', SUPERUSER, '-E', 'UTF8', '--locale=C', '--auth=peer', '--no-instructions'];
  const owner = isRoot() ? NAMED : self();
  const { file, args, options } = commandAs(owner, fresh, binaries.initdb, ['-D', insideOf(fresh), ...flags]);
  await run(file, args, { ...options, signal }).catch((cause: Error & { stderr?: string }) => {
    signal.throwIfAborted();
    const lines = (cause.stderr || cause.message).trim().split('\n');
    const line = lines.find((text) => /error:|FATAL:|PANIC:/.test(text)) ?? lines.at(-1) ?? '';
    throw new EmbeddedError(`The database could not be made in ${fresh}: ${sentence(line)}`, { cause });
  });
}

/** Changes the owner of the directory itself last, so that the next start repeats an interrupted handover. */
async function handOver(dir: string): Promise<void> {
  await fs.chown(dir, 0, 0);
  await fs.chmod(dir, 0o700);
  await run('chown', ['-RhP', `${PRIVATE.uid}:${PRIVATE.gid}`, dir]);
}

/** Runs before each start: sets the owner, and restricts logins to the system users root and that owner. */
export async function secure({ dir, owner }: Cluster): Promise<void> {
  if (isHandedOver((await fs.stat(dir)).uid)) await handOver(dir);
  const names = await namesOfUsers(owner);
  const mapped = names.map((name) => `${SUPERUSER} "${name.replaceAll('"', '""')}" ${SUPERUSER}\n`);
  await replace(join(dir, 'pg_hba.conf'), `local all ${SUPERUSER} peer map=${SUPERUSER}\n`, owner);
  await replace(join(dir, 'pg_ident.conf'), mapped.join(''), owner);
}

/** Makes the rename survive a power loss, as the files do: initdb has synced them. */
async function syncDir(dir: string): Promise<void> {
  const handle = await fs.open(dir, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Ignores errors: an aborted initdb may still write here briefly. The next start removes the leftovers. */
async function remove(dir: string): Promise<void> {
  await fs.rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined);
}
