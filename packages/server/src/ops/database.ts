import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedError, openEmbedded } from '@freebets/embedded-postgres';
import type pg from 'pg';
import { isDatabaseUnavailable, isPermissionDenied } from '../engine/faults.ts';
import { readBackend, readDatabaseSettings } from '../engine/server-settings.ts';
import { requireMasterKey, WrongMasterKey } from '../partners/master-key/master-key.ts';
import { openPool } from '../placement/citus/connection.ts';
import { readDistribution } from '../placement/citus/distribution.ts';
import { Failure, inOneLine } from '../primitives/failure.ts';
import { type MasterKey, masterKeyBytes, readMasterKey } from '../primitives/sealing.ts';
import { closeInTurn, holdSignals } from './closing.ts';
import type { Config } from './config.ts';
import { readSchema, type Schema } from './schema/migrations.ts';
import {
  bringUpToDate,
  isEmpty,
  moveAll,
  requireCurrent,
  requireCurrentSchema,
  requireMovable,
  type SchemaAccess,
} from './schema/schema.ts';

// Opens the database of the settings, either an external PostgreSQL or the embedded one, with the master key for its
// secrets. Only the server and the command `migrate` change the schema and create an embedded database. Other commands
// require the current schema, or fail with the command to run.

export interface Database {
  connection: pg.ClientConfig;
  masterKey: MasterKey;
  isEmbedded: boolean;
  /** Call it after all pools have ended. */
  close(): Promise<void>;
}

export interface Lifetime {
  /** Called when a server has lost the embedded database for good. */
  onLost?: (reason: Error) => void;
  /** Aborts opening the database. */
  signal?: AbortSignal;
}

/**
 * Defers signals until a command has closed the database. Otherwise a command could make a change without reporting it,
 * or leave the embedded database running.
 */
export async function openDatabase(
  config: Config,
  use: 'serve' | 'command',
  lifetime: Lifetime = {},
): Promise<Database> {
  const release = use === 'command' ? holdSignals() : () => {};
  try {
    const database = await openConfigured(config, use, lifetime);
    return { ...database, close: () => database.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function openConfigured(config: Config, use: 'serve' | 'command', lifetime: Lifetime): Promise<Database> {
  if (config.DATABASE_URL !== undefined) {
    assert(config.SECRETS_KEY !== undefined, 'settings with DATABASE_URL have a SECRETS_KEY');
    const masterKey = readMasterKey(config.SECRETS_KEY);
    return { connection: { connectionString: config.DATABASE_URL }, masterKey, isEmbedded: false, async close() {} };
  }
  const dataDir = resolve(config.DATA_DIR);
  try {
    const { connection, release } = await openEmbedded({ dataDir, use, ...lifetime });
    const kept = () =>
      storedMasterKey(dataDir, connection).catch(async (error) => {
        await release();
        throw error;
      });
    const masterKey = config.SECRETS_KEY ? readMasterKey(config.SECRETS_KEY) : await kept();
    return { connection, masterKey, isEmbedded: true, close: release };
  } catch (error) {
    if (error instanceof EmbeddedError) throw new Failure(error.message);
    throw error;
  }
}

/** The key file next to the embedded database, created only for a new database: a new key can't open old secrets. */
async function storedMasterKey(dataDir: string, connection: pg.ClientConfig): Promise<MasterKey> {
  const path = join(dataDir, 'secrets.key');
  if (!existsSync(path) && (await hasNoSchema(connection))) makeMasterKey(path);
  // Checks again: another process that created the schema since then has created the key first.
  if (!existsSync(path)) {
    throw new Failure(
      `${path} is missing. It holds the key for the secrets in the database: copy it from the source of the database or its backup, or set SECRETS_KEY to its content.`,
    );
  }
  const masterKey = readMasterKey(textOf(path).trim());
  if (masterKey.some(({ length }) => length !== masterKeyBytes)) {
    throw new Failure(`${path} must contain a key of ${masterKeyBytes} bytes.`);
  }
  return masterKey;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${(error as Error).message}.`);
  }
}

/** Writes the key and links it into place, so that readers never see a partial key. */
function makeMasterKey(path: string): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${randomBytes(masterKeyBytes).toString('base64')}\n`, {
      mode: 0o600,
      flush: true,
      flag: 'wx',
    });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

async function hasNoSchema(connection: pg.ClientConfig): Promise<boolean> {
  const found = await lookAtSchema({ connection }, connectTimeoutMs);
  if (found instanceof Error) throw unreachable(found);
  return isEmpty(found);
}

const oldestVersion = 150_000;

const connectTimeoutMs = 10_000;
/** The shortest timeout of one look while waiting for a database, even if less of the total time is left. */
const shortestLookMs = 1000;
const commandTimeoutMs = 60_000;
/** For commands and migrations that read or move the whole history, and for waiting on another server's migration. */
export const wholeHistoryTimeoutMs = 6 * 60 * 60_000;
const schemaPollMs = 500;
const longestCloseMs = 1000;
/** Releases the locks of a command that is suspended within a transaction, for example with Ctrl-Z. */
const longestIdleMs = 20_000;

const poolFor = (
  { connection }: Pick<Database, 'connection'>,
  max: number,
  queryTimeoutMs: number,
  applicationName: string,
  session?: Record<string, string>,
): pg.Pool =>
  openPool({
    connection,
    max,
    queryTimeoutMs,
    connectTimeoutMs: Math.min(connectTimeoutMs, queryTimeoutMs),
    applicationName,
    session: { idle_in_transaction_session_timeout: String(longestIdleMs), ...session },
  });

/** Opens a pool for each call and closes it afterwards, so that there are never more than `connections`. */
function accessTo(database: Database, applicationName: string, connections = 1): SchemaAccess {
  const onPool = async <T>(
    timeoutMs: number,
    work: (pool: pg.Pool) => Promise<T>,
    session?: Record<string, string>,
  ): Promise<T> => {
    const pool = poolFor(database, connections, timeoutMs, applicationName, session);
    try {
      return await work(pool);
    } finally {
      await close(pool);
    }
  };
  return {
    look: (work) =>
      onPool(connectTimeoutMs, work).catch((error) => {
        throw isDatabaseUnavailable(error) ? unreachable(error as Error) : asFailure(error);
      }),
    change: (work) => onPool(wholeHistoryTimeoutMs, work),
    changeAs: (role) => (work) => onPool(wholeHistoryTimeoutMs, work, { role }),
  };
}

/** Waits for the connections to close, because `pool.end` resolves earlier, but not for a silent database. */
async function close(pool: pg.Pool): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let left = pool.totalCount;
  pool.on('remove', () => {
    left -= 1;
    if (left === 0) resolve();
  });
  if (left === 0) resolve();
  await pool.end();
  await Promise.race([closed, delay(longestCloseMs, undefined, { ref: false })]);
}

/** For a server: refuses unsuitable databases, migrates the schema, and loads the demo into a new embedded database. */
export async function prepareDatabase(database: Database, allowUnsafe: boolean): Promise<void> {
  // Two connections, to check whether each has its own session.
  const access = accessTo(database, 'freebets prepare', 2);
  await bringUpToDate(access, async (pool) => {
    await checkSettings(pool, allowUnsafe);
    await requireSessions(pool);
  });
  if (!database.isEmbedded) return;
  // Imported only here: other commands except `demo` don't need it, and loading it takes longer than most commands run.
  const { loadDemoIfEmpty } = await import('../demo/demo.ts');
  await access.change((pool) => loadDemoIfEmpty(pool, database.masterKey));
}

/** For one of several processes: the first process prepared the database, but perhaps long before this one started. */
export const requirePrepared = (database: Database): Promise<void> =>
  accessTo(database, 'freebets prepare').look(requireCurrentSchema);

export interface Migrated {
  ran: string[];
  /** The tables that were distributed or undistributed; null if neither was requested. */
  moved: string[] | null;
}

/** For the command `migrate`. */
export async function migrateDatabase(config: Config, moveTo?: 'one' | 'many'): Promise<Migrated> {
  const database = await openDatabase(config, 'command');
  try {
    const access = accessTo(database, 'freebets migrate');
    const move = (to: 'one' | 'many') => access.change((pool) => moveAll(pool, to));
    // Finishes an interrupted distribution first, because migrations on a half-distributed database are unpredictable.
    const { state } = await access.look(async (pool) => {
      await checkSettings(pool, config.ALLOW_UNSAFE_DATABASE === 'yes');
      if (moveTo !== undefined) await requireMovable(pool, moveTo);
      return readDistribution(pool);
    });
    const before = moveTo === 'one' || (moveTo === 'many' && state === 'half') ? await move(moveTo) : [];
    const ran = await bringUpToDate(access);
    if (moveTo === undefined) return { ran, moved: null };
    return { ran, moved: moveTo === 'one' ? before : [...before, ...(await move(moveTo))] };
  } finally {
    await database.close();
  }
}

/** For the command `migrate --wait`: waits until the database is reachable and another process has migrated it. */
export async function awaitSchema(config: Config, patienceS: number, signal: AbortSignal): Promise<void> {
  const database = await openDatabase(config, 'command');
  const deadline = performance.now() + patienceS * 1000;
  try {
    for (;;) {
      const timeoutMs = Math.max(deadline - performance.now(), shortestLookMs);
      const found = await lookAtSchema(database, Math.min(timeoutMs, connectTimeoutMs));
      const leftMs = deadline - performance.now();
      const isOlder = !(found instanceof Error) && found.state === 'older';
      if (!(found instanceof Error) && (!isOlder || leftMs <= 0)) return requireCurrent(found);
      if (found instanceof Error && leftMs <= 0) throw unreachable(found);
      await delay(Math.min(schemaPollMs, leftMs), undefined, { signal });
    }
  } finally {
    await database.close();
  }
}

async function lookAtSchema(database: Pick<Database, 'connection'>, timeoutMs: number): Promise<Schema | Error> {
  const pool = poolFor(database, 1, timeoutMs, 'freebets wait');
  try {
    return await readSchema(pool);
  } catch (error) {
    return error as Error;
  } finally {
    await pool.end();
  }
}

/** Converts faults that the user at the terminal can fix into a message without a stack. */
export function asFailure(error: unknown): unknown {
  if (error instanceof WrongMasterKey) return new Failure(error.message);
  if (!isPermissionDenied(error)) return error;
  return new Failure(
    `The database user lacks rights (${error.message}): connect as the owner of the tables, or have the owner grant the rights.`,
  );
}

/** Uses the driver's message, except for a missing password, where it is hard to understand. */
export function unreachable({ message, code }: NodeJS.ErrnoException): Failure {
  const isWithoutPassword = /client password must be a (non-empty )?string$/.test(message);
  return new Failure(
    isWithoutPassword
      ? 'The database requires a password: add it to DATABASE_URL, as postgres://user:password@….'
      : `The database cannot be reached: ${message || code}.`,
  );
}

async function checkSettings(pool: pg.Pool, allowUnsafe: boolean): Promise<void> {
  const found = await readDatabaseSettings(pool).catch((error: Error) => {
    throw unreachable(error);
  });
  if (found.version_number < oldestVersion) throw new Failure('The database must be PostgreSQL 15 or newer.');
  if (found.encoding !== 'UTF8') throw new Failure(`The database must be encoded in UTF8, not ${found.encoding}.`);
  const unsafe = [
    ...(found.fsync === 'on' ? [] : ['fsync']),
    ...(found.synchronous_commit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (unsafe.length > 0 && !allowUnsafe) {
    throw new Failure(
      `The database may lose commits, because ${unsafe.join(' and ')} is off: turn it on, or set ALLOW_UNSAFE_DATABASE=yes.`,
    );
  }
}

/** Two open connections have different backend processes, unless a pooler shares one backend between them. */
async function requireSessions(pool: pg.Pool): Promise<void> {
  const connections: pg.PoolClient[] = [];
  const backends = new Set<number>();
  try {
    while (connections.length < 2) {
      const connection = await pool.connect();
      connections.push(connection);
      backends.add(await readBackend(connection));
    }
  } catch (error) {
    throw unreachable(error as Error);
  } finally {
    for (const connection of connections) connection.release();
  }
  if (backends.size === connections.length) return;
  throw new Failure(
    'The database is behind a pooler in transaction mode, which is not supported: connect directly, or through a pooler in session mode.',
  );
}

export interface OpenDatabase extends Database {
  pool: pg.Pool;
}

/** Opens and checks the database for one command at the terminal, runs the command, and closes the database. */
export async function withDatabase<T>(
  config: Config,
  work: (database: OpenDatabase) => Promise<T>,
  { anyMasterKey = false, timeoutMs = commandTimeoutMs } = {},
): Promise<T> {
  requireDatabase(config);
  const database = await openDatabase(config, 'command');
  const pool = poolFor(database, 2, timeoutMs, 'freebets command');
  try {
    await checkSettings(pool, config.ALLOW_UNSAFE_DATABASE === 'yes');
    await requireCurrentSchema(pool);
    if (!anyMasterKey) await requireMasterKey(pool, database.masterKey);
    return await work({ ...database, pool });
  } catch (error) {
    if (isDatabaseUnavailable(error)) {
      const { message, code = '' } = error as NodeJS.ErrnoException;
      const reason = inOneLine(message || code);
      throw new Failure(
        `The database could not complete the command (${reason}). Check its effects before you try again.`,
      );
    }
    throw asFailure(error);
  } finally {
    await closeInTurn(async () => {
      await pool.end();
      await database.close();
    });
  }
}

/** Otherwise a command with a misspelt DATA_DIR would create a second database. */
function requireDatabase(config: Config): void {
  const { DATABASE_URL, DATA_DIR } = config;
  if (DATABASE_URL !== undefined) return;
  requireReadable(config);
  if (existsSync(join(DATA_DIR, 'postgres'))) return;
  throw new Failure(
    `There is no database in ${DATA_DIR} yet: start the server first (npm start), or set DATA_DIR to its folder.`,
  );
}

/** Otherwise EACCES would look like a missing database. */
export function requireReadable({ DATA_DIR }: Config): void {
  try {
    statSync(join(DATA_DIR, 'postgres'), { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return;
    throw new Failure(
      `The folder ${DATA_DIR} cannot be read by this user: run the command as the user who runs the server, or as root, or set DATA_DIR to another folder.`,
    );
  }
}
