import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withReadTimeout } from '../../../packages/server/src/calls/read-timeout.ts';

/** Three chunks, and whether what makes them has ended. */
function stage(patienceMs: number) {
  const state = { hasEnded: false };
  async function* make() {
    try {
      yield* ['a', 'b', 'c'];
    } finally {
      state.hasEnded = true;
    }
  }
  return { state, ...withReadTimeout(make(), patienceMs) };
}

test('all is read, and then it is over', async () => {
  const { chunks, over, state } = stage(60_000);
  assert.deepEqual(await Array.fromAsync(chunks), ['a', 'b', 'c']);
  await over;
  assert.ok(state.hasEnded);
});

test('it is over for a reader that stops, even before the first chunk', async () => {
  const begun = stage(60_000);
  for await (const _ of begun.chunks) break;
  await begun.over;
  assert.ok(begun.state.hasEnded);
  const untouched = stage(60_000);
  await untouched.chunks[Symbol.asyncIterator]().return?.();
  await untouched.over;
});

test('a reader that waits too long loses it at once, and learns so when it reads on', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { chunks, over, state } = stage(30);
  const reader = chunks[Symbol.asyncIterator]();
  t.mock.timers.tick(29);
  assert.equal((await reader.next()).value, 'a');
  t.mock.timers.tick(29);
  assert.equal((await reader.next()).value, 'b');
  t.mock.timers.tick(30);
  await over;
  assert.ok(state.hasEnded);
  await assert.rejects(reader.next(), /the reader has stopped/);
});

test('what fails is over', async () => {
  // biome-ignore lint/correctness/useYield: it fails before.
  async function* failing(): AsyncGenerator<string> {
    throw new Error('lost');
  }
  const { chunks, over } = withReadTimeout(failing(), 60_000);
  await assert.rejects(Array.fromAsync(chunks), /lost/);
  await over;
});
