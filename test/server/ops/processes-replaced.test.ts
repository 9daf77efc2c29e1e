import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { databaseProxy } from '../../support/database-proxy.ts';
import { childrenOf } from '../../support/processes.ts';
import { program, surroundings } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

// SIGHUP when it is least convenient: while all start, while the database is unavailable, again while it is under way; with processes that
// die in it, and with SIGTERM behind it.

const boundMs = 120_000;
const processes = 2;
const { env } = await testDatabase();
const proxy = await databaseProxy(env);
const server = spawn(process.execPath, [program, 'serve'], {
  env: { ...surroundings, ...proxy.env, PROCESSES: String(processes), LOG_LEVEL: 'info' } as NodeJS.ProcessEnv,
  stdio: ['ignore', 'pipe', 'inherit'],
});
after(() => server.kill('SIGKILL'));
const ended = once(server, 'exit');
const lines: Record<string, unknown>[] = [];
createInterface({ input: server.stdout }).on('line', (line) => lines.push(JSON.parse(line)));

const said = (text: string) => lines.filter(({ msg }) => String(msg).startsWith(text));
const pids = () => childrenOf(server);
const explained = (what: string, isSo: () => boolean | Promise<boolean>) =>
  until(what, boundMs, isSo).catch((error: Error) => assert.fail(`${error.message}: ${JSON.stringify(lines)}`));

/** All old processes are gone, and all new ones are running. */
const areReplaced = (before: number[]) => {
  const there = pids();
  return there.length === processes && there.every((pid) => !before.includes(pid));
};

const isReady = async () => {
  const [{ url } = {}] = said('serving');
  return url !== undefined && (await post(`${url}/readyz`, '', {}, 'GET')).status === 200;
};

test('all processes are replaced although some die during the start or the replacement', async () => {
  await explained('they start', () => pids().length === processes);
  const first = pids();
  server.kill('SIGHUP');
  const next = () => pids().find((pid) => !first.includes(pid));
  await explained('the next one starts', () => next() !== undefined);
  process.kill(next() as number, 'SIGKILL');
  process.kill(first[0] as number, 'SIGKILL');
  await explained('others are there', () => areReplaced(first));
  await explained('all are ready', isReady);
  const [line] = said('a process could not be replaced');
  assert.deepEqual([line?.level, line?.place], [50, 0]);
});

test('a replacement requested during a database outage completes after it', async () => {
  const before = pids();
  const saidBefore = { failed: said('a process could not').length, replaced: said('a process was replaced').length };
  await proxy.refuse();
  server.kill('SIGHUP');
  await explained('it is said', () => said('a process could not').length > saidBefore.failed);
  assert.deepEqual(
    before.filter((pid) => !pids().includes(pid)),
    [],
    'those of before go on',
  );
  server.kill('SIGHUP');
  server.kill('SIGHUP');
  await proxy.back();
  await explained('others are there', () => areReplaced(before));
  await explained('all are ready', isReady);
  const replaced = said('a process was replaced').length - saidBefore.replaced;
  assert.ok(replaced <= processes + 1, `${replaced}: two of the three signals are as one`);
});

test('SIGTERM during a replacement ends all processes without logging a failure', async () => {
  const before = pids();
  const saidBefore = lines.length;
  server.kill('SIGHUP');
  await explained('the next one starts', () => pids().length > processes);
  const all = [...before, ...pids()];
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  for (const pid of all) assert.throws(() => process.kill(pid, 0), /ESRCH/);
  assert.deepEqual(
    lines.slice(saidBefore).filter(({ level }) => Number(level) >= 40),
    [],
  );
});
