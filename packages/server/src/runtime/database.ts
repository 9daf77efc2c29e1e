import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EmbeddedError, openEmbedded } from '@freebets/embedded-postgres';
import type pg from 'pg';
import { loadCallers, WrongMasterKey } from '../callers/callers.ts';
import { masterKeyBytes } from '../callers/secrets.ts';
import type { Config } from '../config.ts';
import { openPool } from '../db/connection.ts';
import { migrate } from '../db/migrations.ts';
import { readDatabaseSettings } from '../db/server-settings.ts';
import { loadDemoOnce } from '../demo/demo.ts';
import { Failure } from '../failure.ts';

// The database that the settings name: somebody's PostgreSQL, or the embedded one, with the key for the secrets in it.

export interface Database {
  connection: pg.ClientConfig;
  masterKey: Buffer;
  isEmbedded: boolean;
  /** After the pools on it have ended. */
  close(): Promise<void>;
}

export interface Lifetime {
  /** Called when a server has lost the embedded database for good. */
  onLost?: (reason: Error) => void;
  /** Gives up opening it. */
  signal?: AbortSignal;
}

export async function openDatabase(
  config: Config,
  use: 'serve' | 'command',
  lifetime: Lifetime = {},
): Promise<Database> {
  if (config.DATABASE_URL !== undefined) {
    const masterKey = Buffer.from(config.SECRETS_KEY ?? '', 'base64');
    return { connection: { connectionString: config.DATABASE_URL }, masterKey, isEmbedded: false, async close() {} };
  }
  const dataDir = resolve(config.DATA_DIR);
  try {
    const { connection, release } = await openEmbedded({ dataDir, use, ...lifetime });
    const masterKey = config.SECRETS_KEY ? Buffer.from(config.SECRETS_KEY, 'base64') : keptMasterKey(dataDir);
    return { connection, masterKey, isEmbedded: true, close: release };
  } catch (error) {
    if (error instanceof EmbeddedError) throw new Failure(error.message);
    throw error;
  }
}

/** Made once and kept beside the embedded database. Linked into place whole, so that nobody ever reads half a key. */
function keptMasterKey(dataDir: string): Buffer {
  const path = join(dataDir, 'secrets.key');
  const draft = `${path}.${process.pid}`;
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(draft, `${randomBytes(masterKeyBytes).toString('base64')}\n`, { mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== masterKeyBytes) throw new Failure(`${path} does not hold a key of ${masterKeyBytes} bytes.`);
  return key;
}

const oldestVersion = 150_000;

/** Migrations may take long, and one server waits for another's. */
const prepareTimeoutMs = 15 * 60_000;
const connectTimeoutMs = 10_000;

/** Refuses what the service must not be run on, brings the schema up to date, and fills a new embedded database. */
export async function prepareDatabase(database: Database, allowUnsafe: boolean): Promise<void> {
  const pool = openPool({
    connection: database.connection,
    max: 1,
    queryTimeoutMs: prepareTimeoutMs,
    connectTimeoutMs,
    applicationName: 'freebets prepare',
  });
  try {
    await checkAndMigrate(pool, allowUnsafe);
    if (database.isEmbedded) await loadDemoOnce(pool, database.masterKey);
  } finally {
    await pool.end();
  }
}

async function checkAndMigrate(pool: pg.Pool, allowUnsafe: boolean): Promise<void> {
  const settings = await readDatabaseSettings(pool).catch((error: Error) => {
    throw new Failure(`The database cannot be reached: ${error.message || (error as NodeJS.ErrnoException).code}.`);
  });
  if (settings.version_number < oldestVersion) throw new Failure('The database must be PostgreSQL 15 or newer.');
  if (settings.encoding !== 'UTF8')
    throw new Failure(`The database must be encoded in UTF8, not ${settings.encoding}.`);
  const unsafe = [
    ...(settings.fsync === 'on' ? [] : ['fsync']),
    ...(settings.synchronous_commit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (unsafe.length > 0 && !allowUnsafe) {
    throw new Failure(
      `The database may lose commits, because ${unsafe.join(' and ')} is off: turn it on, or set ALLOW_UNSAFE_DATABASE=yes.`,
    );
  }
  const result = await migrate(pool).catch((error: Error) => {
    throw new Failure(`The database cannot be migrated: ${error.message}.`);
  });
  if (result.ok) return;
  throw new Failure(
    `The database was migrated by a newer version (${result.unknown.join(', ')}): run that version or a later one.`,
  );
}

export interface OpenDatabase extends Database {
  pool: pg.Pool;
}

/** For one command at the terminal: opens, prepares, works, closes. */
export async function withDatabase<T>(
  config: Config,
  work: (database: OpenDatabase) => Promise<T>,
  { anyMasterKey = false } = {},
): Promise<T> {
  const database = await openDatabase(config, 'command');
  const { connection } = database;
  const pool = openPool({ connection, max: 2, queryTimeoutMs: 60_000, applicationName: 'freebets command' });
  try {
    await prepareDatabase(database, config.ALLOW_UNSAFE_DATABASE === 'yes');
    // A secret sealed under another key than the rest would shut its owner out, on every server.
    if (!anyMasterKey) await loadCallers(pool, database.masterKey, () => {});
    return await work({ ...database, pool });
  } catch (error) {
    throw error instanceof WrongMasterKey ? new Failure(error.message) : error;
  } finally {
    await pool.end();
    await database.close();
  }
}
