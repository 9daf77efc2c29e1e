/**
 * The embedded PostgreSQL: `openEmbedded` finds or makes the cluster, finds or starts the postmaster, and counts as one
 * of its users until released. Two file locks in the data directory coordinate processes, and end with them:
 *
 * - "change": a process that makes, starts or stops the database holds it alone, for moments, so that no other process
 *   sees an intermediate state.
 * - "users": every process holds it while it uses the database: commands as shared, the one server as the first. A
 *   process that can take it alone when it leaves was the last user, and stops the database.
 *
 * A server also watches its database, and starts it again after a stop or a kill.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.ts';
import { type Cluster, type DataDirectory, findDataDirectory, findOrMakeCluster, isReplaced } from './cluster.ts';
import { type Connection, connectionTo } from './database.ts';
import { EmbeddedError, messageOf, sentence } from './embedded-error.ts';
import { readIfThere, replace } from './files.ts';
import { type Lock, openLock } from './lock.ts';
import { ensureRunning, readPostmaster, type Settings, stopPostmaster } from './postmaster.ts';
import { isAlive } from './processes.ts';

export { EmbeddedError };

export interface EmbeddedDatabase {
  connection: Connection;
  /** Stops the database if no other process uses it. Close your connections first: a stop breaks them off. */
  release(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  /** A data directory has at most one server at a time, and any number of commands. */
  use: 'serve' | 'command';
  /** Called if a server has lost its database for good, because another one has replaced it. */
  onLost?: (error: EmbeddedError) => void;
  /** More PostgreSQL settings. They apply only if this call starts the database. */
  settings?: Settings;
  /** Cancels the opening, and stops the database if it has no other user. */
  signal?: AbortSignal;
}

/** The state of one opening. */
interface Opening {
  directory: DataDirectory;
  binaries: Binaries;
  use: EmbeddedOptions['use'];
  settings: Settings;
  change: Lock;
  users: Lock;
}

/** An open database, with the last known PID of its postmaster. */
interface Opened extends Opening {
  cluster: Cluster;
  postmaster: number;
}

/** How long to wait for a start by another process, which may include crash recovery, and for a stop. */
const OTHERS_START_MS = 330_000;
const OTHERS_STOP_MS = 45_000;
const WATCH_MS = 250;
const POLL_MS = 20;

export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir, signal = new AbortController().signal } = options;
  try {
    const binaries = await findBinaries();
    const directory = await findDataDirectory(dataDir);
    const change = openLock(join(directory.real, 'postgres.change.lock'), directory.owner);
    const users = openLock(join(directory.real, 'postgres.users.lock'), directory.owner);
    const opening = { directory, binaries, use: options.use, settings: options.settings ?? {}, change, users };
    const opened = await enter(opening, signal).catch((error) => {
      closeLocks(opening);
      throw error;
    });
    return keepOpen(opened, options.onLost);
  } catch (cause) {
    if (cause instanceof EmbeddedError || signal.aborted) throw cause;
    throw new EmbeddedError(`The database in ${dataDir} cannot be opened: ${sentence(messageOf(cause))}`, { cause });
  }
}

function closeLocks({ users, change }: Opening): void {
  users.close();
  change.close();
}

async function enter(opening: Opening, signal: AbortSignal): Promise<Opened> {
  const { directory, binaries, settings, change } = opening;
  if (!(await takeChange(change, OTHERS_START_MS, signal))) {
    const text = `Another Freebets process is starting or stopping the database in ${directory.dataDir}, and does not finish.`;
    throw new EmbeddedError(text);
  }
  let cluster: Cluster | undefined;
  try {
    await joinUsers(opening);
    cluster = await findOrMakeCluster(directory, binaries, settings.fsync !== 'off', signal);
    const postmaster = await ensureRunning(cluster, binaries, settings, signal);
    signal.throwIfAborted();
    return { ...opening, cluster, postmaster };
  } catch (error) {
    await leaveUsers(opening, cluster);
    throw error;
  } finally {
    change.drop();
  }
}

/** The caller holds "change", so no user is leaving at the moment, and refusing a server is final. */
async function joinUsers({ directory, users, use }: Opening): Promise<void> {
  const file = serverFile(directory);
  if (users.take(use === 'serve' ? 'first' : 'shared')) {
    if (use === 'serve') await replace(file, `${process.pid}\n`, directory.owner);
    return;
  }
  const pid = Number.parseInt(await readIfThere(file), 10);
  throw new EmbeddedError(`A Freebets server is already running on ${directory.dataDir} (process ${pid}).`);
}

const serverFile = (directory: DataDirectory) => join(directory.real, 'server.pid');

async function takeChange(change: Lock, withinMs: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!change.take('alone')) {
    signal?.throwIfAborted();
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Keeps an open database available until it is released. */
function keepOpen(opened: Opened, onLost?: (error: EmbeddedError) => void): EmbeddedDatabase {
  const released = new AbortController();
  // A command fails with its connections, so it must not start the database again.
  const watching = opened.use === 'serve' ? watch(opened, released.signal, onLost) : undefined;
  let leaving: Promise<void> | undefined;
  const release = async () => {
    released.abort();
    await watching;
    await leave(opened);
  };
  return {
    connection: connectionTo(opened.cluster),
    release: () => {
      leaving ??= release();
      return leaving;
    },
  };
}

/** Never rejects, because the cause may pass, such as a full disk. */
async function watch(opened: Opened, signal: AbortSignal, onLost?: (error: EmbeddedError) => void): Promise<void> {
  const { cluster, directory } = opened;
  for (let failures = 0; !signal.aborted; ) {
    await delay(WATCH_MS * Math.min(failures + 1, 8), undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    if (await isReplaced(cluster)) {
      onLost?.(new EmbeddedError(`The database in ${directory.dataDir} was replaced by another while it was in use.`));
      return;
    }
    failures = await revive(opened, signal).then(
      () => 0,
      () => failures + 1,
    );
  }
}

async function revive(opened: Opened, signal: AbortSignal): Promise<void> {
  const { cluster, binaries, settings, change } = opened;
  const found = await readPostmaster(cluster);
  if (found?.status === 'ready' && (await isAlive(found.pid))) return;
  if (!(await takeChange(change, OTHERS_START_MS, signal))) return;
  try {
    opened.postmaster = await ensureRunning(cluster, binaries, settings, signal);
  } finally {
    change.drop();
  }
}

async function leave(opened: Opened): Promise<void> {
  try {
    // A process that holds "change" for longer is opening the database, and will stop it later.
    if (await takeChange(opened.change, OTHERS_STOP_MS)) await leaveUsers(opened, opened.cluster, opened.postmaster);
  } finally {
    closeLocks(opened);
  }
}

/** The caller holds "change". Stops the database if this was its last user. */
async function leaveUsers({ directory, use, users }: Opening, cluster?: Cluster, postmaster?: number): Promise<void> {
  const file = serverFile(directory);
  if (use === 'serve' && (await readIfThere(file)) === `${process.pid}\n`) await rm(file, { force: true });
  if (users.take('alone') && cluster) await stopPostmaster(cluster, postmaster);
}
