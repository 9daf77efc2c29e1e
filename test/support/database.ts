import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { readMasterKey } from '../../packages/server/src/primitives/sealing.ts';
import { cloneEverywhere, dropEverywhere } from './citus.ts';

// A database for every test file, cloned from the template of test/run.ts.

const masterKey = Buffer.alloc(32, 7).toString('base64');
export const masterKeyOfTests = readMasterKey(masterKey);

export type ServerEnvironment = Record<string, string>;

/** The setting with the address of the cluster of this run. */
export const testEnvironment = (socketDir: string) => ({ FREEBETS_TEST_SOCKETS: socketDir });

/** The Citus cluster with the databases of this run; undefined for a run on its own PostgreSQL. */
export const citusUrl = (): string | undefined => process.env.FREEBETS_TEST_CITUS;
export const citusEnvironment = (url: string) => ({ FREEBETS_TEST_CITUS: url });
export const citusTemplate = 'freebets_template';

function socketDir(): string {
  const found = process.env.FREEBETS_TEST_SOCKETS;
  if (found === undefined) throw new Error('run the tests with "npm test" or "npm test -- FILE"');
  return found;
}

export const databaseUrl = (host: string, name: string) => `postgres:///${name}?host=${host}&user=freebets`;

async function administer(host: string, statement: string): Promise<void> {
  const client = new pg.Client(databaseUrl(host, 'postgres'));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The settings of a server on a new database. Copying files took 120 ms, copying through the WAL 260 ms. */
export async function createDatabase(host: string, name: string, template = 'template1'): Promise<ServerEnvironment> {
  await administer(host, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return settingsOn(databaseUrl(host, name));
}

/** Rate limits are off, because the speed of tests varies, and one admin is enough. */
export const settingsOn = (url: string): ServerEnvironment => ({
  DATABASE_URL: url,
  SECRETS_KEY: masterKey,
  ALLOW_UNSAFE_DATABASE: 'yes',
  PORT: '0',
  RATE_LIMIT: '0',
  STAFF_CONFIRMATION: 'off',
  REQUEST_DEADLINE_MS: '30000',
  LOG_LEVEL: 'silent',
});

async function cloneOf(kind: 'demo' | 'empty', name: string): Promise<ServerEnvironment> {
  const citus = citusUrl();
  if (citus === undefined) return createDatabase(socketDir(), name, kind === 'demo' ? 'template' : 'template1');
  const env = settingsOn(await cloneEverywhere(citus, name, kind === 'demo' ? citusTemplate : 'template1'));
  return { ...env, DATABASE_DIRECT: process.env.CITUS_DIRECT ?? 'no' };
}

async function drop(name: string): Promise<void> {
  const citus = citusUrl();
  if (citus !== undefined) return dropEverywhere(citus, name);
  await administer(socketDir(), `DROP DATABASE ${name} WITH (FORCE)`);
}

export interface TestDatabase {
  env: ServerEnvironment;
  /** For queries past the service, and for actions that only an operator may do. */
  sql: pg.Pool;
}

/**
 * By database: a server can only stop properly while its database exists, and hooks run in the order in which they
 * were added.
 */
const users = new Map<string, Set<() => Promise<unknown>>>();

/**
 * Ends with the file or the test, before the database in `env` is dropped. Behind a proxy the database is not known.
 */
export function afterUse({ DATABASE_URL = '' }: ServerEnvironment, end: () => Promise<unknown>): void {
  const ends = users.get(DATABASE_URL) ?? new Set();
  users.set(DATABASE_URL, ends.add(end));
  after(() => {
    ends.delete(end);
    return end();
  });
}

/** A clone of the template for this file, dropped when the file ends. `empty` has no schema. */
export async function testDatabase(kind: 'demo' | 'empty' = 'demo'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const env = await cloneOf(kind, name);
  const sql = new pg.Pool({ connectionString: env.DATABASE_URL, max: 4 });
  sql.on('error', () => {});
  const taken = new Set<pg.PoolClient>();
  sql.on('acquire', (client) => taken.add(client)).on('release', (_, client) => taken.delete(client));
  after(async () => {
    const ends = [...(users.get(env.DATABASE_URL ?? '') ?? [])];
    const ended = Promise.all([sql.end(), ...ends.map((end) => end())]);
    // Connections and locks of a failed test would keep the file from ending.
    await Promise.race([ended, delay(2000, undefined, { ref: false })]);
    const kept = [...taken];
    for (const client of kept) client.release(true);
    await ended;
    await drop(name);
    assert.equal(kept.length, 0, 'every connection is given back');
  });
  return { env, sql };
}
