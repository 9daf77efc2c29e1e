import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { basePath, type GameListResponse, type OperationName, operations, sign } from '@freebets/contract';
import pg from 'pg';
import { demoPartner } from '../packages/server/src/demo/demo.ts';

// A server in a process of its own, on a database of its own with the demo data.

const program = fileURLToPath(new URL('../packages/server/bin/freebets.js', import.meta.url));

export interface BenchServer {
  port: number;
  call(operation: OperationName, body: object): Promise<unknown>;
  freeBetGames(): Promise<string[]>;
  /** The number of the partner's latest event. */
  lastSequence(): Promise<number>;
  /** Runs a command of the terminal on the same database. */
  command(...args: string[]): Promise<void>;
  stop(): Promise<void>;
}

const databaseUrl = (host: string, name: string) => `postgres:///${name}?host=${host}&user=freebets`;

async function query(host: string, database: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(databaseUrl(host, database));
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function startBenchServer(
  socketDir: string,
  name: string,
  settings: Record<string, string>,
): Promise<BenchServer> {
  await query(socketDir, 'postgres', `CREATE DATABASE ${name}`);
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl(socketDir, name),
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    PORT: '0',
    RATE_LIMIT: '0',
    ...settings,
  };
  const command = async (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`freebets ${args.join(' ')} ended with ${code}`);
  };
  await command('demo');
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await servingUrl(child);
  const call = async (operation: OperationName, body: object) => {
    const bytes = JSON.stringify({ client_id: demoPartner.clientId, ...body });
    const headers = { 'content-type': 'application/json', 'x-request-sign': sign(bytes, demoPartner.secret) };
    const answer = await fetch(url + basePath + operations[operation].path, { method: 'POST', body: bytes, headers });
    if (!answer.ok) throw new Error(`${operation} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    port: Number(new URL(url).port),
    call,
    async freeBetGames() {
      const { providers } = (await call('GameList', {})) as GameListResponse;
      const games = providers[0]?.games ?? [];
      return games.filter((game) => game.promoTypes.includes('FreeBet')).map((game) => game.id);
    },
    async lastSequence() {
      const { rows } = await query(socketDir, name, 'SELECT last_sequence FROM event_heads');
      return Number(rows[0]?.last_sequence ?? 0);
    },
    command,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Its log goes on being read, so that the server pays for writing it, as it would in earnest. */
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
