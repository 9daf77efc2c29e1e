/**
 * PostgreSQL for the first start: `openEmbedded` finds or makes the cluster, finds or starts the postmaster, and joins its
 * users (session.ts says how they are known). All of that happens in one loop, `join`, which takes nothing for granted
 * between two rounds, since other processes start, stop and kill the same database at any time.
 *
 * An opened database is in one of three states: joined; for a server whose connection was lost, rejoining, in the background;
 * and released, which is final. Only `release` and the connection's end change it, and `release` waits for a round of
 * `join` under way before it leaves.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Binaries, findBinaries } from './binaries.ts';
import { type Cluster, findOrMakeCluster, SUPERUSER } from './cluster.ts';
import { EmbeddedError, messageOf, sentence, TakenError } from './embedded-error.ts';
import { runningPostmaster } from './lock-file.ts';
import {
  hasEnded,
  hurryStop,
  judgeEnded,
  type Launch,
  launchPostmaster,
  type Settings,
  stopPostmaster,
} from './postmaster.ts';
import { claim, connect, createDatabase, DATABASE, giveUp, isBroken, type Use } from './session.ts';
import { PORT } from './socket-dir.ts';

export { EmbeddedError };

export interface EmbeddedDatabase {
  /** For `pg`; the host is the directory of the unix socket. */
  connection: { host: string; port: number; user: string; database: string; ssl: false };
  /** Stops the database if nobody else uses it. Close the own connections first: a stop breaks them off. */
  release(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  /** A data directory has one server at a time, and any number of commands beside it. */
  use: Use;
  /** Called if a server has lost the database for good, because another one took its place. */
  onLost?: (error: EmbeddedError) => void;
  /** Further settings of PostgreSQL, if it is this call that starts it. */
  settings?: Settings;
  /** Gives up opening, and leaves no database behind that nobody uses. */
  signal?: AbortSignal;
}

/** What the functions here share about one opening. */
interface Opening {
  cluster: Cluster;
  binaries: Binaries;
  use: Use;
  settings: Settings;
}

/** How long to go on without a sign of life, and with nothing but "starting up" or "shutting down". */
const SILENT_MS = 30_000;
const BUSY_MS = 300_000;
/** A server killed a moment ago still seems to serve, until PostgreSQL notices. */
const VANISHED_MS = 2_000;
const WATCH_MS = 500;
const RETRY_MS = 50;
const RETRY_MAX_MS = 500;

export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir, use, settings = {}, signal = new AbortController().signal } = options;
  try {
    const binaries = await findBinaries();
    const cluster = await findOrMakeCluster(dataDir, binaries, signal);
    const opening = { cluster, binaries, use, settings };
    const client = await joinFirst(opening, signal);
    return attend(opening, client, options.onLost);
  } catch (cause) {
    if (cause instanceof EmbeddedError || signal.aborted) throw cause;
    throw new EmbeddedError(`The database in ${dataDir} cannot be opened: ${sentence(messageOf(cause))}`, { cause });
  }
}

async function joinFirst(opening: Opening, signal: AbortSignal): Promise<pg.Client> {
  let client: pg.Client | undefined;
  try {
    client = await join(opening, signal);
    signal.throwIfAborted();
    return client;
  } catch (error) {
    // What we may have started must not run on unused; after a failure of the database itself there is nobody to ask.
    if (signal.aborted) await leave(opening, client);
    throw error;
  }
}

/**
 * Goes round until the database runs and we are among its users. EmittedEvent to give up, it still waits for a postmaster it has
 * started, and may return, because only a user can stop the database without harm to others.
 */
async function join(opening: Opening, signal: AbortSignal): Promise<pg.Client> {
  const { cluster, use } = opening;
  const begun = Date.now();
  let heard = begun;
  let starting: Starting = { said: '' };
  for (;;) {
    if (!starting.launch || hasEnded(starting.launch)) signal.throwIfAborted();
    const contact = await connect(cluster, use);
    if (contact.client) {
      const joined = await ask(opening, contact.client, Date.now() - begun);
      if (joined) return contact.client;
    } else if (contact.because === 'busy') {
      heard = Date.now();
    } else {
      starting = await ensureStarting(opening, starting);
    }
    const now = Date.now();
    if (now - heard > SILENT_MS || now - begun > BUSY_MS) throw await silence(cluster, now - begun, starting);
    await delay(Math.min(RETRY_MS + (now - begun) / 20, RETRY_MAX_MS));
  }
}

/** Asks for the locks; false means to come again. */
async function ask(opening: Opening, client: pg.Client, waitedMs: number): Promise<boolean> {
  try {
    const answer = await claim(client, opening.use);
    if (answer === 'granted') {
      await createDatabase(client);
      return true;
    }
    if (answer !== 'stopping' && (answer.taken !== undefined || waitedMs > VANISHED_MS)) {
      const who = answer.taken === undefined ? '' : ` (process ${answer.taken})`;
      throw new TakenError(`A Freebets server is already running on ${opening.cluster.dataDir}${who}.`);
    }
  } catch (error) {
    if (!isBroken(error)) {
      // The others may have left since, and have left the stopping to us.
      await leave(opening, client);
      throw error;
    }
  }
  await client.end().catch(() => undefined);
  return false;
}

/** The postmaster we have started, if any, and what the last one said that ended. */
interface Starting {
  launch?: Launch;
  said: string;
}

/** Nobody listens: starts a postmaster, unless one is on its way up or down. */
async function ensureStarting(opening: Opening, { launch, said }: Starting): Promise<Starting> {
  if (launch && !hasEnded(launch)) return { launch, said };
  if (launch) return { said: await judgeEnded(launch, opening.cluster) };
  if ((await runningPostmaster(opening.cluster)) !== undefined) return { said };
  return { launch: await launchPostmaster(opening.cluster, opening.binaries, opening.settings), said };
}

async function silence(cluster: Cluster, waitedMs: number, { said }: Starting): Promise<EmbeddedError> {
  const pid = await runningPostmaster(cluster);
  const who = pid === undefined ? '' : `, though process ${pid} runs on it`;
  const seconds = Math.round(waitedMs / 1000);
  const words = said === '' ? '' : `: ${said}`;
  const text = `The database in ${cluster.dir} did not answer within ${seconds} s${who}${words} (see ${cluster.logFile}).`;
  return new EmbeddedError(text);
}

/** Looks after a joined database until it is released. */
function attend(opening: Opening, joined: pg.Client, onLost?: (error: EmbeddedError) => void): EmbeddedDatabase {
  const released = new AbortController();
  let client: pg.Client | undefined;
  let rejoining: Promise<void> | undefined;
  let leaving: Promise<void> | undefined;

  const hold = (held: pg.Client) => {
    client = held;
    held.once('end', () => {
      client = undefined;
      // A command has failed with its connection anyway, and must not start a database for nobody.
      if (released.signal.aborted || opening.use === 'command') return;
      rejoining = rejoin(opening, released.signal, hold, onLost);
    });
  };
  hold(joined);
  const watch = setInterval(() => {
    if (opening.use === 'serve') hurryStop(opening.cluster).catch(() => undefined);
  }, WATCH_MS).unref();

  const release = async () => {
    released.abort();
    clearInterval(watch);
    await rejoining;
    await leave(opening, client);
  };
  return {
    connection: { host: opening.cluster.socketDir, port: PORT, user: SUPERUSER, database: DATABASE, ssl: false },
    release: () => {
      leaving ??= release();
      return leaving;
    },
  };
}

/** Never rejects. Whatever keeps the database away may pass, a full disk for one, save that another server has it. */
async function rejoin(
  opening: Opening,
  signal: AbortSignal,
  hold: (client: pg.Client) => void,
  onLost?: (error: EmbeddedError) => void,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      return hold(await join(opening, signal));
    } catch (error) {
      if (error instanceof TakenError) return onLost?.(error);
      await delay(Math.min(100 * (failures + 1), 1_000));
    }
  }
}

/** Gives up the locks, and stops the database if that leaves it without users. */
async function leave({ cluster, use }: Opening, client?: pg.Client): Promise<void> {
  const deadline = Date.now() + SILENT_MS;
  let held = client;
  while (Date.now() < deadline) {
    held ??= (await connect(cluster, use)).client;
    if (held) {
      const given = await giveUp(held).catch(() => undefined);
      if (given?.postmaster !== undefined) await stopPostmaster(cluster, given.postmaster);
      await held.end().catch(() => undefined);
      if (given) return;
      held = undefined;
    } else if ((await runningPostmaster(cluster)) === undefined) {
      return;
    }
    await delay(RETRY_MS);
  }
}
