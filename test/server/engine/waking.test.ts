import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rememberWoken } from '../../../packages/server/src/background/awake.ts';
import { awakeForMs } from '../../../packages/server/src/background/sql/due.ts';

test('who was woken is remembered for half of the time, from when the statement was sent, or until all is forgotten', () => {
  let now = 1000;
  const waking = rememberWoken(() => now);
  assert.equal(waking.isAwake(1), false);
  waking.woken([1, 2], 900);
  now = 900 + awakeForMs / 2 - 1;
  assert.deepEqual([waking.isAwake(1), waking.isAwake(2), waking.isAwake(3)], [true, true, false]);
  waking.woken([2], now);
  now += 1;
  assert.deepEqual([waking.isAwake(1), waking.isAwake(2)], [false, true]);
  waking.forget();
  assert.equal(waking.isAwake(2), false);
});
