/**
 * Finds, starts and stops the postmaster. Only the process that holds the "change" lock may do so. The postmaster runs
 * in its own session with its output in a file: Ctrl-C at our terminal does not reach it, and it survives even a kill
 * -9 of our process. The next start takes it over. A postmaster that was started in another way is replaced, because it
 * may have privileges or accept any user.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, type FileHandle, open, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { type Cluster, secure } from './cluster.ts';
import { createDatabase } from './database.ts';
import { EmbeddedError } from './embedded-error.ts';
import { readIfThere, replace } from './files.ts';
import { commandOf, isAlive, signal } from './processes.ts';
import { commandAs, insideOf, isRoot } from './run-as.ts';
import { makeSocketDir, PORT, SOCKET } from './socket-dir.ts';

export type Settings = Record<string, string>;

/** The contents of `postmaster.pid`: the process, and its status "starting", "ready" or "stopping". */
interface Postmaster {
  pid: number;
  status: string;
}

/** A postmaster that this process started, and the log offset at its start. */
interface Launch {
  child: ChildProcess;
  logStart: number;
  failed?: Error;
}

const STATUS_LINE = 7;

/** A PID that no system assigns, so PostgreSQL considers the process dead. */
const DEAD_PID = 2_147_483_646;

/** How long to wait for a postmaster that is not ready, as in a long recovery, and for one that keeps ending. */
const BUSY_MS = 300_000;
const ABSENT_MS = 30_000;
/** A fast shutdown, then an immediate one, which makes the next start recover. */
const STOPS = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 10_000],
] as const;
const POLL_MS = 20;

export async function readPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const text = await readIfThere(join(cluster.dir, 'postmaster.pid'));
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? { pid, status: text.split('\n')[STATUS_LINE]?.trim() ?? '' } : undefined;
}

/**
 * Whether this process is the cluster's postmaster, started by us or in another way. After a crash the PID in the file
 * may belong to any process. In doubt this throws: two postmasters on one cluster destroy it.
 */
async function identify(pid: number, cluster: Cluster): Promise<'ours' | 'foreign' | 'none'> {
  const command = await commandOf(pid);
  // A postmaster keeps its command line; its children rename themselves to "postgres: …".
  if (!command || command.startsWith('postgres: ') || !/(^|\/)postgres( |$)/.test(command)) return 'none';
  const name = / cluster_name=(freebets-cluster-\S+)/.exec(command)?.[1];
  if (name !== undefined) return name === cluster.name ? 'ours' : 'none';
  const dir = (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) ?? / -D (\/.+?) -c /.exec(command)?.[1];
  if (dir !== undefined) return dir === cluster.dir ? 'foreign' : 'none';
  throw new EmbeddedError(`Process ${pid} may be running a database in ${cluster.dir}: stop it.`);
}

/** Waits until the database accepts connections, and returns the PID of the postmaster. */
export async function ensureRunning(
  cluster: Cluster,
  binaries: Binaries,
  settings: Settings,
  given: AbortSignal,
): Promise<number> {
  const begun = Date.now();
  let launch: Launch | undefined;
  for (;;) {
    const found = await readPostmaster(cluster);
    const identity = found ? await identify(found.pid, cluster) : 'none';
    if (found && identity === 'foreign') await stop(cluster, found.pid);
    if (found && identity === 'ours') {
      if (found.status === 'ready' && (await createDatabase(cluster))) return found.pid;
      // A plain kill waits until all clients disconnect, which a server never does. So stop it now, to start it again.
      if (found.status === 'stopping') signal(found.pid, 'SIGINT');
    } else if (!launch || hasEnded(launch)) {
      given.throwIfAborted();
      // If several containers share the directory, the process may be invisible from this one.
      if (found && !launch && identity === 'none' && (await createDatabase(cluster))) return found.pid;
      if (launch) await judgeEnded(launch, cluster);
      launch = await start(cluster, binaries, settings);
    }
    if (given.aborted && launch?.child.pid) await stop(cluster, launch.child.pid);
    if (Date.now() - begun > (identity === 'ours' ? BUSY_MS : ABSENT_MS)) {
      throw new EmbeddedError(`The database in ${cluster.dir} does not answer (see ${cluster.logFile}).`);
    }
    await delay(POLL_MS);
  }
}

async function start(cluster: Cluster, binaries: Binaries, settings: Settings): Promise<Launch> {
  await secure(cluster);
  await clearStaleLocks(cluster);
  if (cluster.socketDir !== cluster.dir) await makeSocketDir(cluster.socketDir, cluster.owner);
  const all = { ...ownSettings(cluster), ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', insideOf(cluster.dir), ...flags];
  const command = commandAs(cluster.owner, cluster.dir, binaries.postgres, args);
  const log = await openLog(cluster);
  try {
    const logStart = (await log.stat()).size;
    const stdio = ['ignore' as const, log.fd, log.fd];
    const child = spawn(command.file, command.args, { ...command.options, stdio, detached: true });
    const launch: Launch = { child, logStart };
    child.once('error', (error) => {
      launch.failed = error;
    });
    child.unref();
    return launch;
  } finally {
    await log.close();
  }
}

/**
 * No postmaster runs on this cluster, but a crash may have left lock files whose PID now belongs to another process,
 * and PostgreSQL would respect them. This replaces the PID with an unused one. It keeps the other lines, by which
 * PostgreSQL detects children of the dead postmaster that still use its shared memory.
 */
async function clearStaleLocks({ dir, socketDir, owner }: Cluster): Promise<void> {
  const path = join(dir, 'postmaster.pid');
  const lines = (await readIfThere(path)).split('\n').slice(1, STATUS_LINE);
  if (lines.length > 0) await replace(path, `${[DEAD_PID, ...lines].join('\n')}\n`, owner);
  else await rm(path, { force: true });
  await rm(join(socketDir, `${SOCKET}.lock`), { force: true });
}

function ownSettings({ dir, name, socketDir }: Cluster): Settings {
  const inside = insideOf(dir);
  const socket = socketDir === dir ? inside : socketDir;
  return {
    cluster_name: name,
    hba_file: join(inside, 'pg_hba.conf'),
    ident_file: join(inside, 'pg_ident.conf'),
    listen_addresses: '',
    port: `${PORT}`,
    // The value is a list, so the directory is quoted.
    unix_socket_directories: `"${socket.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    shared_buffers: '256MB',
    max_connections: '200',
    // PostgreSQL writes full pages again after each checkpoint, so fewer checkpoints write less. wal_compression stays
    // off: these builds support only pglz, which costs more than it saves.
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] ',
    // The client gets failed statements and their values. The log must not contain partner data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
  };
}

async function openLog(cluster: Cluster): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  // Root may start a cluster that an ordinary user made and will start again. That user must not redirect root to
  // another file with a link.
  const log = await open(cluster.logFile, O_APPEND | O_CREAT | O_WRONLY | (isRoot() ? O_NOFOLLOW : 0), 0o600);
  if (isRoot()) await log.chown(cluster.owner.uid, cluster.owner.gid);
  return log;
}

function hasEnded({ child, failed }: Launch): boolean {
  return failed !== undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Throws the log message of a postmaster that ended before it was ready, unless another try may help. */
async function judgeEnded(launch: Launch, cluster: Cluster): Promise<void> {
  if (launch.failed) throw launch.failed;
  const { exitCode, signalCode } = launch.child;
  const said = (await lastFatalLine(cluster.logFile, launch.logStart)) || `it ended with ${signalCode ?? exitCode}`;
  // Retry: the children of a killed postmaster end within moments, or another process stopped or killed ours.
  if (exitCode === 0 || signalCode === 'SIGKILL' || /pre-existing shared memory block/.test(said)) return;
  throw new EmbeddedError(`The database in ${cluster.dir} did not start: ${said} (see ${cluster.logFile}).`);
}

/** The last fatal log line since the start, ignoring the refusals of clients that connected too early. */
async function lastFatalLine(logFile: string, start: number): Promise<string> {
  const log = await open(logFile, 'r');
  try {
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(64 * 1024), position: start });
    const lines = buffer.toString('utf8', 0, bytesRead).trim().split('\n');
    const grave = lines.filter((line) => /(FATAL|PANIC): +(?!the database system is)/.test(line));
    return (grave.at(-1) ?? lines.at(-1) ?? '').replace(/^.*(FATAL|PANIC): +/, '');
  } finally {
    await log.close();
  }
}

/** Stops the postmaster of this cluster. `known` is its last known PID, in case the files of the cluster are gone. */
export async function stopPostmaster(cluster: Cluster, known?: number): Promise<void> {
  const found = await readPostmaster(cluster);
  for (const pid of [found?.pid, known]) {
    if (pid !== undefined && (await identify(pid, cluster)) === 'ours') await stop(cluster, pid);
  }
  if (cluster.socketDir !== cluster.dir) await rm(cluster.socketDir, { recursive: true, force: true });
}

async function stop(cluster: Cluster, pid: number): Promise<void> {
  for (const [name, withinMs] of STOPS) {
    signal(pid, name);
    for (const begun = Date.now(); Date.now() - begun < withinMs; await delay(POLL_MS)) {
      if (!(await isAlive(pid))) return;
    }
  }
  throw new EmbeddedError(`The database in ${cluster.dir} (process ${pid}) does not stop.`);
}
