import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type OperationName, Partner, type PartnerCalls, signerOf, signRequest } from '@freebets/client';
import pg from 'pg';
import { demoPartner } from '../packages/server/src/demo/demo.ts';
import { inTransaction } from '../packages/server/src/engine/transaction.ts';
import { insertPartner, replaceOffers } from '../packages/server/src/partners/callers/sql/partners.ts';
import { announceChange } from '../packages/server/src/partners/reference/sql.ts';
import { ownerOf, sealSecret } from '../packages/server/src/primitives/sealing.ts';
import type { ProbeResult } from './probe.ts';

// Starts servers as separate processes, on separate databases with the demo data.

/** All child processes, so that an interrupted run ends them. */
const running = new Set<ChildProcess>();

function start(args: string[], env?: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, args, { ...(env && { env }), stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export const endAll = () => Promise.all([...running].map(end));

const program = fileURLToPath(new URL('../packages/server/bin/freebets.js', import.meta.url));
const masterKey = Buffer.alloc(32, 1);

export interface BenchCaller {
  clientId: number;
  secret: string;
}

export interface BenchServer {
  port: number;
  pid: number;
  database: string;
  demo: BenchCaller;
  send(operation: OperationName, caller: BenchCaller, body: object): Promise<Response>;
  /** Returns the response, which must be successful at the first attempt. */
  call<N extends keyof PartnerCalls>(
    operation: N,
    caller: BenchCaller,
    body: PartnerCalls[N][0],
  ): Promise<PartnerCalls[N][1]>;
  freeBetGames(): Promise<string[]>;
  /** Runs a `freebets` command on the same database. */
  command(...args: string[]): Promise<void>;
  memoryMb(): number;
  stop(): Promise<void>;
}

export const databaseUrl = (host: string, name: string) => `postgres:///${name}?host=${host}&user=freebets`;

export async function query(host: string, database: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(databaseUrl(host, database));
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The version of PostgreSQL, and of Citus on a cluster. */
export async function versionOf(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT concat_ws(', ', 'PostgreSQL ' || current_setting('server_version'),
         'Citus ' || current_setting('citus.version', true)) AS version`,
    );
    return rows[0].version;
  } finally {
    await client.end();
  }
}

const environment = (url: string, settings: Record<string, string>) => ({
  PATH: process.env.PATH,
  DATABASE_URL: url,
  SECRETS_KEY: masterKey.toString('base64'),
  PORT: '0',
  RATE_LIMIT: '0',
  ...settings,
});

/** Creates a database with the schema and the demo data. */
export async function createDatabase(socketDir: string, name: string): Promise<void> {
  await query(socketDir, 'postgres', `DROP DATABASE IF EXISTS ${name}`);
  await query(socketDir, 'postgres', `CREATE DATABASE ${name}`);
  await fillDatabase(databaseUrl(socketDir, name));
}

/** Creates the schema and the demo data in an empty database. */
export async function fillDatabase(url: string, ...migrateOptions: string[]): Promise<void> {
  const env = environment(url, {});
  await runProgram(env, 'migrate', ...migrateOptions);
  await runProgram(env, 'demo');
}

async function runProgram(env: NodeJS.ProcessEnv, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`freebets ${args.join(' ')} ended with ${code}`);
}

export const startServer = (
  socketDir: string,
  database: string,
  settings: Record<string, string> = {},
): Promise<BenchServer> => startServerOn(databaseUrl(socketDir, database), settings);

export async function startServerOn(on: string, settings: Record<string, string> = {}): Promise<BenchServer> {
  const env = environment(on, settings);
  const child = start([program, 'serve'], env);
  const url = await servingUrl(child);
  const demo = { clientId: demoPartner.clientId, secret: demoPartner.secret };
  const send: BenchServer['send'] = async (operation, { clientId, secret }, body) => {
    const bytes = Buffer.from(JSON.stringify({ client_id: clientId, ...body }));
    const { path, ...request } = await signRequest(signerOf(secret), operation, bytes);
    return fetch(url + path, { method: 'POST', ...request });
  };
  const call: BenchServer['call'] = (operation, { clientId, secret }, body) => {
    const partner = new Partner({ baseUrl: url, clientId, secret, maxRetries: 0, timeoutMs: 30_000 });
    return partner.call(operation, body);
  };
  return {
    port: Number(new URL(url).port),
    pid: child.pid as number,
    database: new URL(on).pathname.slice(1),
    demo,
    send,
    call,
    async freeBetGames() {
      const { providers } = await call('GameList', demo, {});
      const games = providers[0]?.games ?? [];
      return games.filter((game) => game.promoTypes.includes('FreeBet')).map((game) => game.id);
    },
    command: (...args) => runProgram(env, ...args),
    memoryMb: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)]).toString()) / 1024,
    stop: () => end(child),
  };
}

/** Starts a server on a new database. */
export async function startOnNew(socketDir: string, name: string, settings: Record<string, string> = {}) {
  await createDatabase(socketDir, name);
  return startServer(socketDir, name, settings);
}

async function end(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Reads the log, so that the server pays for writing it as in production. */
function servingUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was serving`)));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      if (!line.includes('"serving"')) return;
      resolve(JSON.parse(line).url);
      lines.close();
      child.stdout?.resume();
    });
  });
}

/** Adds partners with all games to the demo data. Call it before servers start on the database. */
export async function addPartners(url: string, count: number): Promise<BenchCaller[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const partners = Array.from({ length: count }, (_, i) => ({ clientId: 1001 + i, secret: `bench-secret-${i}` }));
  await inTransaction(pool, async (connection) => {
    await announceChange(connection);
    const { rows } = await connection.query<{ provider_id: string }>('SELECT provider_id FROM providers');
    for (const { clientId, secret } of partners) {
      const sealed = sealSecret([masterKey], ownerOf('partner', clientId), secret);
      const name = `Partner ${clientId}`;
      await insertPartner(connection, { clientId, name, secret: sealed, isSandbox: false });
      await replaceOffers(
        connection,
        clientId,
        rows.map((row) => row.provider_id),
      );
    }
  });
  await pool.end();
  return partners;
}

const probeProgram = fileURLToPath(new URL('./probe.ts', import.meta.url));

/** Measures the response times of this caller's reads and of /readyz in another process. */
export async function runProbe(server: BenchServer, caller: BenchCaller, seconds: number): Promise<ProbeResult> {
  const child = start([probeProgram, ...[server.port, caller.clientId, caller.secret, seconds].map(String)]);
  const [output, [code]] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the probe ended with ${code}`);
  return JSON.parse(output);
}

/** Starts one of our programs, which prints its address as a server does. */
export async function startProgram(file: string, ...args: string[]): Promise<Pick<BenchServer, 'port' | 'stop'>> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = start([path, ...args]);
  const url = await servingUrl(child);
  return { port: Number(new URL(url).port), stop: () => end(child) };
}
