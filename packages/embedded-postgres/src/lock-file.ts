/**
 * PostgreSQL's lock files, `postmaster.pid` and that of the socket: the first line is the pid. PostgreSQL itself clears what a
 * crash left behind, unless that pid belongs to another process by now. Then we judge, and in doubt leave the file alone:
 * a postmaster that loses its file stops at once, and two postmasters on one cluster destroy it.
 */
import { randomUUID } from 'node:crypto';
import { chown, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { codeOf } from './embedded-error.ts';
import { commandOf, workingDirOf } from './processes.ts';
import { isRoot } from './run-as.ts';

/** No system has a process by this number, so PostgreSQL finds it dead. */
const DEAD_PID = 2_147_483_646;

/** Where `postmaster.pid` says "starting", "ready" or "stopping". */
const STATUS_LINE = 7;

/** A starting postmaster fills its file within milliseconds; one that stays empty is what a power loss left. */
const EMPTY_AFTER_MS = 5_000;

/** The pid of the postmaster that runs on this cluster, or may do so; undefined if there is surely none. */
export async function runningPostmaster(cluster: Cluster): Promise<number | undefined> {
  const text = await read(join(cluster.dir, 'postmaster.pid'));
  const pid = pidIn(text);
  return pid !== undefined && (await mayBePostmaster(pid, cluster.dir)) ? pid : undefined;
}

/** The pid of a postmaster that was told to stop, by whomever, and has not yet done so. */
export async function stoppingPostmaster(cluster: Cluster): Promise<number | undefined> {
  const text = await read(join(cluster.dir, 'postmaster.pid'));
  return text?.split('\n')[STATUS_LINE]?.trim() === 'stopping' ? runningPostmaster(cluster) : undefined;
}

/** Clears a lock file that PostgreSQL respects only because its pid now belongs to a process that is not a postmaster. */
export async function clearStaleLock(cluster: Cluster, name: string): Promise<void> {
  const path = name.startsWith('/') ? name : join(cluster.dir, name);
  const text = await read(path);
  const pid = pidIn(text);
  if (text === undefined) return;
  const stale = pid === undefined ? await isOld(path) : !(await mayBePostmaster(pid, cluster.dir));
  if (stale) await replaceIfStill(path, text, cluster);
}

async function mayBePostmaster(pid: number, clusterDir: string): Promise<boolean> {
  const command = await commandOf(pid);
  if (command === undefined) return false;
  // A postmaster keeps its command line; its children rename themselves to "postgres: …".
  if (command.startsWith('postgres: ') || !/(^|\/)postgres( |$)/.test(command)) return false;
  if (command.includes(` -D ${clusterDir} `)) return true;
  // It works in its cluster, and this stays true when the cluster is moved; the command line only tells where it was.
  const dir = (await workingDirOf(pid)) ?? / -D (\/.+?) -c /.exec(command)?.[1];
  return dir === undefined || dir === clusterDir;
}

/**
 * The file is moved aside before it is looked at once more, for a postmaster that has just started may have written a new
 * one, which is put back. The stale one comes back with a dead pid, and is not just removed, because its later lines let
 * PostgreSQL notice children of the dead postmaster that still use its shared memory.
 */
async function replaceIfStill(path: string, judged: string, cluster: Cluster): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await read(aside)) !== judged) {
      await link(aside, path);
    } else if (judged.trim() !== '') {
      await writeFile(path, judged.replace(/^-?\d+/, `${DEAD_PID}`), { flag: 'wx', mode: 0o600 });
      if (isRoot()) await chown(path, cluster.owner.uid, cluster.owner.gid);
    }
  } catch (error) {
    // Gone already, or made anew meanwhile: then somebody else has done this, and there is nothing left to do.
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function pidIn(text: string | undefined): number | undefined {
  const pid = Number.parseInt(text ?? '', 10);
  return pid > 0 ? pid : undefined;
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > EMPTY_AFTER_MS;
}
