import assert from 'node:assert/strict';
import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { mock, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import type { Log } from '../../../packages/server/src/ops/log.ts';
import type { Message } from '../../../packages/server/src/ops/processes/messages.ts';
import { type RunningProcesses, startProcesses } from '../../../packages/server/src/ops/processes/processes.ts';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/waiting.ts';

// The first of several processes, with stand-ins for the others: what it does when they end, hang or cannot be started at the worst moment.

/** What a process is to the first one. */
class StandIn extends EventEmitter {
  readonly pid: number;
  isHanging = false;
  isServing = false;
  hasEnded = false;
  isConnected = () => !this.hasEnded;
  process = { send: (message: Message) => this.hear(message), kill: () => this.end() } as { pid?: number };

  constructor(pid: number) {
    super();
    this.pid = pid;
    this.process.pid = pid;
  }

  say(message: Message): void {
    setImmediate(() => this.emit('message', message));
  }

  serve(): void {
    this.isServing = true;
    this.say({ kind: 'serving', url: 'http://localhost', welcome: undefined });
    this.say({ kind: 'ready', isReady: true });
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    setImmediate(() => this.emit('exit', null, 'SIGKILL'));
  }

  private hear(message: Message): void {
    if (message.kind === 'question' && !this.isHanging) this.say({ kind: 'answer', id: message.id, answer: true });
    if (message.kind === 'stop') this.end();
  }
}

const started: StandIn[] = [];
const serving = () => started.filter(({ isServing, hasEnded }) => isServing && !hasEnded);
const startOne = () => {
  const one = new StandIn(started.length + 1);
  started.push(one);
  return one as unknown as Worker;
};
const startServing = () => {
  const one = startOne();
  (one as unknown as StandIn).serve();
  return one;
};

const really = cluster.fork;
/** As while Node.js itself is being replaced. */
const withoutProgram = () => {
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  try {
    return really();
  } finally {
    process.execPath = execPath;
  }
};
const withoutMemory = () => {
  throw new Error('spawn ENOMEM');
};

/** How the next ones are started. */
const next: (() => Worker)[] = [];
mock.method(cluster, 'fork', () => (next.shift() ?? startServing)());

const lines: { msg: string; pid?: number; reason?: string }[] = [];
const write = (fields: object, msg: string) => lines.push({ ...fields, msg });
const log = { info: write, warn: write, error: write } as unknown as Log;
const said = (msg: string) => lines.filter((line) => line.msg.startsWith(msg));

const { env } = await testDatabase();
let processes: RunningProcesses;

test('a place is filled although its process and its successor die before they serve', async () => {
  next.push(startOne, startOne, startOne);
  const starting = startProcesses(readConfig({ ...env, PROCESSES: '2' }), log, {});
  await until('both are started', 10_000, () => started.length === 2);
  const [first, slow] = started as [StandIn, StandIn];
  first.serve();
  setImmediate(() => first.end());
  await until('another takes its place', 10_000, () => started.length === 3);
  started[2]?.end();
  slow.serve();
  processes = await starting;
  await until('both serve', 10_000, () => serving().length === 2);
});

test('if no process can be started, the others keep serving and the start is retried', async () => {
  const [victim, other] = serving() as [StandIn, StandIn];
  next.push(withoutProgram, withoutMemory);
  victim.end();
  await until('another takes its place', 10_000, () => serving().length === 2);
  assert.ok(serving().includes(other));
  const reasons = (msg: string) => said(msg).flatMap(({ reason }) => reason ?? []);
  const expected = ['spawn /nowhere/node ENOENT', 'spawn ENOMEM'].map((why) => `A process cannot be started: ${why}`);
  assert.deepEqual(reasons('a process ended'), expected);
  const before = serving();
  next.push(withoutProgram, withoutMemory);
  processes.replaceAll();
  await until('it is said', 10_000, () => said('a process could not be replaced').length === 2);
  assert.deepEqual(serving(), before);
  assert.deepEqual(reasons('a process could not be replaced'), expected);
  await until('both are replaced', 10_000, () => said('a process was replaced').length === 2);
  assert.deepEqual(
    serving().filter((each) => before.includes(each)),
    [],
  );
});

test('two hanging processes are detected independently', async () => {
  const [one, two] = serving() as [StandIn, StandIn];
  one.isHanging = true;
  // It is asked every second.
  await delay(1500);
  two.isHanging = true;
  const isNoticed = ({ pid }: StandIn) => said('a process did not respond').some((line) => line.pid === pid);
  await until('both are noticed', 12_000, () => isNoticed(one) && isNoticed(two));
  assert.ok(!one.hasEnded);
});

test('all processes are asked to end, even while one cannot be started', async () => {
  next.push(withoutProgram);
  processes.replaceAll();
  await processes.stop();
  assert.ok(started.every(({ hasEnded }) => hasEnded));
});
