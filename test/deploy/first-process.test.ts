import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { succeedsWith } from '../server/admin/terminal.ts';
import { testDatabase } from '../support/database.ts';
import { program, surroundings } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { run, without } from './tools.ts';

// The program as the first process of a container: the kernel ends it by no signal that it does not handle itself.

const { env } = await testDatabase('empty');
const isolated = ['--pid', '--fork', '--kill-child'];
const skip =
  without('unshare') || (run('unshare', [...isolated, 'true']).code !== 0 && 'no namespaces can be made here');

function startFirst(...args: string[]) {
  const outer = spawn('unshare', [...isolated, process.execPath, program, ...args], {
    env: { ...surroundings, ...env, LOG_LEVEL: 'info' } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => outer.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: outer.stdout }).on('line', (line) => lines.push(line));
  /** 0 where there is none. */
  const childOf = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
  return {
    lines,
    ended: once(outer, 'exit').then(([code]) => code as number | null),
    isThere: () => childOf(outer.pid as number) > 0,
    signal: (name: NodeJS.Signals) => process.kill(childOf(outer.pid as number), name),
  };
}

const bound = (ended: Promise<number | null>) =>
  Promise.race([ended, new Promise<string>((resolve) => setTimeout(resolve, 20_000, 'still there').unref())]);

test('a command that waits for the schema ends with its signal, and without one when the schema is there', {
  skip,
}, async () => {
  const waiting = startFirst('migrate', '--wait', '60');
  await until('it runs', 10_000, waiting.isThere);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  waiting.signal('SIGTERM');
  assert.notEqual(await bound(waiting.ended), 'still there');
  const next = startFirst('migrate', '--wait', '60', '--json');
  await succeedsWith(env, 'migrate');
  assert.equal(await bound(next.ended), 0);
  assert.deepEqual(JSON.parse(next.lines.join('')).ran, []);
});

test('a server that gets SIGTERM while it starts ends, and one that serves drains', { skip }, async () => {
  const hasty = startFirst('serve');
  await until('it runs', 10_000, hasty.isThere);
  // Before Node.js has started, the signal has no handler.
  const insisting = setInterval(() => hasty.isThere() && hasty.signal('SIGTERM'), 200);
  hasty.ended.finally(() => clearInterval(insisting));
  assert.notEqual(await bound(hasty.ended), 'still there');
  assert.deepEqual(hasty.lines, [], 'it has not served');
  const server = startFirst('serve');
  await until('it serves', 30_000, () => server.lines.some((line) => line.includes('"msg":"serving"')));
  server.signal('SIGTERM');
  assert.equal(await bound(server.ended), 0);
  assert.ok(server.lines.some((line) => line.includes('"msg":"stopping"')));
});
