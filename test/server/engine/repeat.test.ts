import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pause, repeat } from '../../../packages/server/src/engine/repeat.ts';
import { createSignal } from '../../../packages/server/src/primitives/signal.ts';

// Time is moved by hand, so that every pause is seen to the millisecond.

mock.timers.enable({ apis: ['setTimeout'] });
const pass = async (ms: number) => {
  mock.timers.tick(ms);
  await turn();
};

/** Work that counts its runs, and ends when the test lets it. */
function heldWork() {
  const runs: PromiseWithResolvers<number | undefined>[] = [];
  const work = () => {
    const run = Promise.withResolvers<number | undefined>();
    runs.push(run);
    return run.promise;
  };
  const end = async (result?: number | Error) => {
    const run = runs.at(-1);
    if (result instanceof Error) run?.reject(result);
    else run?.resolve(result);
    await turn();
  };
  return { work, runs, end };
}

const faults: unknown[] = [];
const rhythm = { pauseMs: 100, jitter: 0, onFault: (error: unknown) => faults.push(error) };

test('work is done at once, and again a pause after it has ended, however long it took', async () => {
  const { work, runs, end } = heldWork();
  const loop = repeat(work, rhythm);
  assert.equal(runs.length, 1);
  await pass(1000);
  assert.equal(runs.length, 1, 'it does not overlap itself');
  await end();
  await pass(99);
  assert.equal(runs.length, 1);
  await pass(1);
  assert.equal(runs.length, 2);
  await end();
  await loop.stop();
});

test('a run may say itself how long to pause after it', async () => {
  const { work, runs, end } = heldWork();
  const loop = repeat(work, rhythm);
  await end(30);
  await pass(29);
  assert.equal(runs.length, 1);
  await pass(1);
  assert.equal(runs.length, 2);
  await end(0);
  await pass(1);
  assert.equal(runs.length, 3, 'no pause is a pause, too, and not that of the rest');
  await end();
  await loop.stop();
});

test('a pause is longer by a random share, up to the jitter', async (t) => {
  const random = t.mock.method(Math, 'random', () => 0);
  const { work, runs, end } = heldWork();
  const loop = repeat(work, { ...rhythm, jitter: 0.5 });
  for (const [share, ms] of [
    [0, 100],
    [0.5, 125],
    [0.98, 149],
  ] as const) {
    random.mock.mockImplementation(() => share);
    const before = runs.length;
    await end();
    await pass(ms - 1);
    assert.equal(runs.length, before);
    await pass(1);
    assert.equal(runs.length, before + 1);
  }
  await end();
  await loop.stop();
});

test('a fault is reported and does not end it, whether work throws or rejects', async () => {
  const { work, runs, end } = heldWork();
  const thrown = new Error('thrown');
  let throws = true;
  const loop = repeat((): Promise<undefined | number> => {
    if (throws) throw thrown;
    return work();
  }, rhythm);
  throws = false;
  assert.deepEqual(faults.splice(0), [thrown]);
  await pass(100);
  const rejected = new Error('rejected');
  await end(rejected);
  assert.deepEqual(faults.splice(0), [rejected]);
  await pass(100);
  assert.equal(runs.length, 2);
  await end();
  await loop.stop();
  assert.deepEqual(faults, []);
});

test('stop ends a pause at once, and no run follows', async () => {
  const { work, runs, end } = heldWork();
  const loop = repeat(work, rhythm);
  await end();
  await loop.stop();
  await pass(1000);
  assert.equal(runs.length, 1);
  await loop.stop();
});

test('stop waits for the run under way, which is given the signal', async () => {
  const { work, runs, end } = heldWork();
  let given: AbortSignal | undefined;
  const loop = repeat((signal) => {
    given = signal;
    return work();
  }, rhythm);
  let hasStopped = false;
  const stopped = loop.stop().then(() => {
    hasStopped = true;
  });
  await turn();
  assert.deepEqual([given?.aborted, hasStopped], [true, false]);
  await end(new Error('the last'));
  await stopped;
  assert.equal(faults.splice(0).length, 1, 'its fault is reported as well');
  await pass(1000);
  assert.equal(runs.length, 1);
});

test('a pause leaves nothing behind at its signal, and is none when that was given before', async () => {
  const stopping = new AbortController();
  const added = new Set<unknown>();
  const { signal } = stopping;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (type: string, listener: never) => {
    added.add(listener);
    addEventListener.call(signal, type, listener);
  };
  signal.removeEventListener = (type: string, listener: never) => {
    added.delete(listener);
    removeEventListener.call(signal, type, listener);
  };
  const paused = pause(10, signal);
  assert.equal(added.size, 1);
  await pass(10);
  await paused;
  assert.equal(added.size, 0);
  stopping.abort();
  await pause(10, signal);
});

test('a loop keeps no process alive', () => {
  const path = fileURLToPath(new URL('../../../packages/server/src/engine/repeat.ts', import.meta.url));
  const program = `import { repeat } from ${JSON.stringify(path)};
    repeat(async () => console.log('run'), { pauseMs: 60_000, onFault() {} });`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { timeout: 10_000 });
  assert.equal(output.toString(), 'run\n');
});

test('a signal reaches all who listen, in their order, until they end it', () => {
  const heard: [string, number][] = [];
  const committed = createSignal<[clientId: number]>();
  committed.emit(1);
  const ends = ['first', 'second'].map((name) => committed.subscribe((clientId) => heard.push([name, clientId])));
  committed.emit(2);
  ends[0]?.();
  committed.emit(3);
  assert.deepEqual(heard, [
    ['first', 2],
    ['second', 2],
    ['second', 3],
  ]);
});
