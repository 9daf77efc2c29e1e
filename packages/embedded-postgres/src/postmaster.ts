/**
 * Starting and stopping the postmaster. It runs in a session of its own with its output in a file, so Ctrl-C at our terminal
 * does not reach it and it outlives us, even a kill -9; the next start then takes it over. Several processes may start
 * it at the same moment: PostgreSQL's own lock file lets one through, the others end, and that is no failure.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { codeOf, EmbeddedError } from './embedded-error.ts';
import { clearStaleLock, stoppingPostmaster } from './lock-file.ts';
import { isAlive } from './processes.ts';
import { cannotRun, environment, isRoot, runAs } from './run-as.ts';
import { makeSocketDir, PORT, removeSocketDir } from './socket-dir.ts';

export type Settings = Record<string, string>;

/** A postmaster we have started, and where its part of the log begins. */
export interface Launch {
  child: ChildProcess;
  logStart: number;
  failed?: EmbeddedError;
}

const FAST_STOP_MS = 30_000;
const IMMEDIATE_STOP_MS = 10_000;
const POLL_MS = 20;

export async function launchPostmaster(cluster: Cluster, binaries: Binaries, settings: Settings): Promise<Launch> {
  await makeSocketDir(cluster.socketDir, cluster.dir, cluster.owner);
  const flags = Object.entries({ ...ownSettings(cluster), ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const command = runAs(cluster.owner, binaries.postgres, ['-D', cluster.dir, ...flags]);
  const log = await openLog(cluster);
  try {
    const logStart = (await log.stat()).size;
    const stdio = ['ignore' as const, log.fd, log.fd];
    const child = spawn(command.file, command.args, { cwd: '/', env: environment(), stdio, detached: true });
    const launch: Launch = { child, logStart };
    child.once('error', (cause) => {
      launch.failed = cannotRun(command, cause);
    });
    child.unref();
    return launch;
  } finally {
    await log.close();
  }
}

function ownSettings(cluster: Cluster): Settings {
  return {
    listen_addresses: '',
    port: `${PORT}`,
    // The value is a list, in which a directory may hold anything when quoted.
    unix_socket_directories: `"${cluster.socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    shared_buffers: '256MB',
    max_connections: '200',
    // Full pages are written again after each checkpoint, so few checkpoints mean less to write. wal_compression stays
    // off: these builds know pglz only, which costs more than it saves.
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] ',
    // Statements and the values they failed on go to whoever sent them; the file is no place for a partner's data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
  };
}

async function openLog(cluster: Cluster): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  // Root may start what an ordinary user made and will start again, but must not be led to another file by that user.
  const log = await open(cluster.logFile, O_APPEND | O_CREAT | O_WRONLY | (isRoot() ? O_NOFOLLOW : 0), 0o600);
  if (isRoot()) await log.chown(cluster.owner.uid, cluster.owner.gid);
  return log;
}

export function hasEnded({ child, failed }: Launch): boolean {
  return failed !== undefined || child.exitCode !== null || child.signalCode !== null;
}

/**
 * Judges a postmaster that ended before we could use it. Returns what it said if trying again may help, after clearing what
 * was in its way; throws if it will not.
 */
export async function judgeEnded(launch: Launch, cluster: Cluster): Promise<string> {
  if (launch.failed) throw launch.failed;
  const lines = await linesFrom(cluster.logFile, launch.logStart);
  const said = lastWords(launch, lines);
  const lock = /lock file "(.+)" (?:already exists|is empty)/.exec(said)?.[1];
  if (lock !== undefined) await clearStaleLock(cluster, lock);
  // Children of a killed postmaster end within moments; a socket's directory goes when somebody else stops the database.
  const passing = /pre-existing shared memory block|could not create lock file ".*": No such file/.test(said);
  if (lock !== undefined || passing || wasStopped(launch, lines)) return said;
  throw new EmbeddedError(`The database in ${cluster.dir} did not start: ${said} (see ${cluster.logFile}).`);
}

/** Somebody else may have used and stopped, or killed, what we have started. */
function wasStopped({ child }: Launch, lines: string[]): boolean {
  const told = /LOG: +(database system is ready|received \w+ shutdown request)/;
  const own = lines.filter((line) => line.includes(`[${child.pid}]`));
  return child.exitCode === 0 || child.signalCode === 'SIGKILL' || own.some((line) => told.test(line));
}

function lastWords({ child }: Launch, lines: string[]): string {
  const grave = lines.filter((line) => /(FATAL|PANIC): /.test(line) && !/FATAL: +the database system is/.test(line));
  // The file is shared, and what this very process said counts before what its children or another postmaster said.
  const own = grave.findLast((line) => line.includes(`[${child.pid}]`));
  const line =
    own ?? grave.at(-1) ?? lines.at(-1) ?? `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`;
  return line.replace(/^.*(FATAL|PANIC): +/, '').trim();
}

async function linesFrom(path: string, start: number): Promise<string[]> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(64 * 1024);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return lines.filter((line) => line.trim() !== '');
  } finally {
    await file.close();
  }
}

/** Only for the one who holds the lock that says nobody else uses the database. */
export async function stopPostmaster(cluster: Cluster, pid: number): Promise<void> {
  const stopped = (await stopWith(pid, 'SIGINT', FAST_STOP_MS)) || (await stopWith(pid, 'SIGQUIT', IMMEDIATE_STOP_MS));
  if (!stopped) throw new EmbeddedError(`The database in ${cluster.dir} (process ${pid}) does not stop.`);
  await removeSocketDir(cluster.socketDir, cluster.dir);
}

/**
 * A plain kill of the postmaster asks it to stop when all have left, and to let nobody in. A server never leaves, so the two
 * would wait for each other: let it stop at once, and be started again.
 */
export async function hurryStop(cluster: Cluster): Promise<void> {
  const pid = await stoppingPostmaster(cluster);
  if (pid !== undefined) process.kill(pid, 'SIGINT');
}

async function stopWith(pid: number, signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
  const deadline = Date.now() + withinMs;
  while (await isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
