/**
 * The cluster on disk. It is made beside its place, in `postgres.new-<pid>-<random>`, and renamed into it, so a killed initdb
 * leaves nothing half-made and of two first starts at once one wins and the other takes the winner's. What a dead process
 * left is removed by whoever comes next; `making` tells this process's own unfinished ones from those of an earlier
 * process that had the same pid, as happens in containers.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { access, chown, constants, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { codeOf, EmbeddedError, messageOf, sentence } from './embedded-error.ts';
import { isAlive } from './processes.ts';
import { cannotRun, environment, isRoot, type Owner, ownerOfNewCluster, runAs, self } from './run-as.ts';
import { socketDirOf } from './socket-dir.ts';

export const SUPERUSER = 'freebets';

export interface Cluster {
  /** The data directory as the caller named it, for sentences. */
  dataDir: string;
  dir: string;
  logFile: string;
  socketDir: string;
  owner: Owner;
}

const making = new Set<string>();

/** The cluster in the data directory, made if there is none. */
export async function findOrMakeCluster(dataDir: string, binaries: Binaries, signal?: AbortSignal): Promise<Cluster> {
  const real = await writableDir(dataDir);
  await removeLeftovers(real);
  const dir = join(real, 'postgres');
  if (!(await findCluster(dir))) await makeCluster(real, dir, binaries, signal);
  const found = await findCluster(dir);
  if (!found) throw new EmbeddedError(`${dir} is in the way: it is not empty, and not a PostgreSQL cluster.`);
  const owner = { uid: found.uid, gid: found.gid };
  checkOwner(dir, owner);
  await checkVersion(dir, binaries);
  return { dataDir, dir, logFile: join(real, 'postgres.log'), socketDir: socketDirOf(dir, found), owner };
}

async function writableDir(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (cause) {
    throw new EmbeddedError(`The data directory ${dataDir} cannot be written: ${sentence(messageOf(cause))}`, {
      cause,
    });
  }
}

async function findCluster(dir: string): Promise<Stats | undefined> {
  try {
    const found = await stat(dir);
    await stat(join(dir, 'PG_VERSION')).catch((error) => {
      // A directory closed to us is somebody's cluster; whose, is said by checkOwner.
      if (codeOf(error) !== 'EACCES') throw error;
    });
    return found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function checkOwner(dir: string, owner: Owner): void {
  if (isRoot() && owner.uid === 0) {
    const { uid, gid } = ownerOfNewCluster();
    const text = `The database in ${dir} belongs to root, as whom PostgreSQL does not run: give it to another user (chown -R ${uid}:${gid} ${dir}).`;
    throw new EmbeddedError(text);
  }
  if (!isRoot() && owner.uid !== self().uid) {
    const text = `The database in ${dir} belongs to another user (uid ${owner.uid}): start as that user or as root, or choose another DATA_DIR.`;
    throw new EmbeddedError(text);
  }
}

async function checkVersion(dir: string, binaries: Binaries): Promise<void> {
  const version = (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  if (version === binaries.major) return;
  const text = `The database in ${dir} was made by PostgreSQL ${version}, and this is PostgreSQL ${binaries.major}: move its data over with pg_dump, or choose another DATA_DIR.`;
  throw new EmbeddedError(text);
}

async function makeCluster(parent: string, dir: string, binaries: Binaries, signal?: AbortSignal): Promise<void> {
  const fresh = `${dir}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  making.add(basename(fresh));
  try {
    const owner = ownerOfNewCluster();
    await mkdir(fresh, { mode: 0o700 });
    if (isRoot()) await chown(fresh, owner.uid, owner.gid);
    await initialise(fresh, owner, binaries, signal);
    await rename(fresh, dir).catch((error) => {
      // Somebody else was first; theirs is as good as ours.
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
    await syncDir(parent);
  } finally {
    await remove(fresh);
    making.delete(basename(fresh));
  }
}

async function initialise(fresh: string, owner: Owner, binaries: Binaries, signal?: AbortSignal): Promise<void> {
  // Trust is right here: the only way in is a unix socket in a directory closed to everybody but the owner.
  const flags = ['-U', SUPERUSER, '-E', 'UTF8', '--locale=C', '--auth=trust', '--no-instructions'];
  const command = runAs(owner, binaries.initdb, ['-D', fresh, ...flags]);
  const options = { cwd: '/', env: environment(), ...(signal && { signal }) };
  await promisify(execFile)(command.file, command.args, options).catch((cause: Error & { stderr?: string }) => {
    signal?.throwIfAborted();
    if (!cause.stderr) throw cannotRun(command, cause);
    const lines = cause.stderr.trim().split('\n');
    const line = lines.find((text) => /error:|FATAL:|PANIC:/.test(text)) ?? lines.at(-1) ?? '';
    throw new EmbeddedError(`The database could not be made in ${fresh}: ${sentence(line)}`, { cause });
  });
}

/** The rename must outlast a power loss as well as the files do, which initdb has synced. */
async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  await handle.sync().finally(() => handle.close());
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(/^postgres\.new-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || making.has(name)) continue;
    if (pid !== process.pid && (await isAlive(pid))) continue;
    await remove(join(parent, name));
  }
}

/** An initdb that was broken off may still write there for a moment; what then remains is removed by the next start. */
async function remove(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined);
}
