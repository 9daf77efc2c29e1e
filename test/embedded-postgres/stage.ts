/** What the tests of the embedded database share: a directory, processes in it, and a thorough end to both. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import pg from 'pg';
import {
  type EmbeddedDatabase,
  type EmbeddedOptions,
  openEmbedded,
} from '../../packages/embedded-postgres/src/open-embedded.ts';
import { isAlive } from '../../packages/embedded-postgres/src/processes.ts';
import { until as untilSo } from '../support/waiting.ts';

export type Connection = EmbeddedDatabase['connection'];

export interface Opener {
  process: ChildProcess;
  /** The next thing the process says, or that it has ended. */
  next(): Promise<{ opened?: Connection; released?: true; lost?: string; error?: string; name?: string }>;
  release(): Promise<void>;
}

export interface Stage {
  dataDir: string;
  open(options?: Partial<EmbeddedOptions>): Promise<EmbeddedDatabase>;
  spawn(
    options?: Partial<EmbeddedOptions>,
    as?: { uid: number; gid: number },
    env?: NodeJS.ProcessEnv,
    source?: string,
  ): Opener;
  postmaster(): Promise<number | undefined>;
}

/** For tests whose subject is not durability. */
const FAST = { fsync: 'off' };

const OPENER = join(import.meta.dirname, 'opener.ts');
const SOURCE = join(import.meta.dirname, '../../packages/embedded-postgres/src/open-embedded.ts');

export async function makeStage(t: TestContext, inner = 'data', owner?: { uid: number; gid: number }): Promise<Stage> {
  const root = await mkdtemp(join(tmpdir(), 'freebets-embedded-'));
  if (owner) await chown(root, owner.uid, owner.gid);
  if (owner) await chmod(root, 0o700);
  const dataDir = join(root, inner);
  return stageIn(t, root, dataDir);
}

let model: Promise<string> | undefined;

/** A stage with a database in it that ran before: a copy of one that is made once for each process, which takes a while. */
export async function makeUsedStage(t: TestContext, inner = 'data'): Promise<Stage> {
  model ??= makeModel();
  const stage = await makeStage(t, inner);
  await mkdir(dirname(stage.dataDir), { recursive: true });
  execFileSync('cp', ['-Rp', await model, stage.dataDir]);
  return stage;
}

async function makeModel(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'freebets-model-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  const dataDir = join(root, 'data');
  await (await openEmbedded({ dataDir, use: 'command', settings: FAST })).release();
  return dataDir;
}

function stageIn(t: TestContext, root: string, dataDir: string): Stage {
  const openers: ChildProcess[] = [];
  const opened: EmbeddedDatabase[] = [];
  t.after(async () => {
    for (const child of openers) child.kill('SIGKILL');
    await Promise.allSettled(opened.map((database) => database.release()));
    await endPostmasters(root);
    await rm(root, { recursive: true, force: true, maxRetries: 10 });
  });
  return {
    dataDir,
    postmaster: () => postmasterOf(dataDir),
    open: async (options = {}) => {
      const database = await openEmbedded({ dataDir, use: 'serve', settings: FAST, ...options });
      opened.push(database);
      return database;
    },
    spawn: (options = {}, as = undefined, env = process.env, source = SOURCE) => {
      const given = JSON.stringify({ dataDir, use: 'serve', settings: FAST, ...options });
      const stdio = ['pipe' as const, 'pipe' as const, 'inherit' as const];
      const child = spawn(process.execPath, [OPENER, given, source], { ...as, env, stdio, cwd: '/' });
      openers.push(child);
      return opener(child);
    },
  };
}

function opener(child: ChildProcess): Opener {
  assert(child.stdout);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    return line.done ? { error: 'the process has ended' } : JSON.parse(line.value);
  };
  const release = async () => {
    child.stdin?.end();
    assert.deepEqual(await next(), { released: true });
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { process: child, next, release };
}

async function postmasterOf(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 && (await isAlive(pid)) ? pid : undefined;
}

/** The processes that still run under this directory; none after a successful test. */
async function endPostmasters(root: string): Promise<void> {
  const names = await readdir(root, { recursive: true });
  for (const name of names.filter((path) => path.endsWith('/postgres/postmaster.pid'))) {
    const [pid, , , , socketDir] = (await readFile(join(root, name), 'utf8').catch(() => '')).split('\n');
    if (!(Number(pid) > 0 && (await isAlive(Number(pid))))) continue;
    // An immediate stop takes the children and the socket along, which SIGKILL would leave.
    process.kill(Number(pid), 'SIGQUIT');
    await until(async () => !(await isAlive(Number(pid))));
    if (socketDir?.startsWith('/tmp/freebets-cluster-')) await rm(socketDir, { recursive: true, force: true });
  }
}

export const until = (isSo: () => Promise<boolean> | boolean, boundMs = 20_000): Promise<number> =>
  untilSo(String(isSo), boundMs, isSo);

export async function query(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  assert(pid);
  process.kill(pid, signal);
}

export async function answers(connection: Connection): Promise<boolean> {
  return query(connection, 'select 1').then(
    () => true,
    () => false,
  );
}
