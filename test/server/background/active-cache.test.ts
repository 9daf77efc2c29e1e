import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openActiveCache } from '../../../packages/server/src/background/active.ts';
import { activeForMs } from '../../../packages/server/src/background/sql/due.ts';

test('a mark is cached for half of its time from when its statement was sent, or until the cache is cleared', () => {
  let now = 1000;
  const cache = openActiveCache(() => now);
  assert.equal(cache.has(1), false);
  cache.add([1, 2], 900);
  now = 900 + activeForMs / 2 - 1;
  assert.deepEqual([cache.has(1), cache.has(2), cache.has(3)], [true, true, false]);
  cache.add([2], now);
  now += 1;
  assert.deepEqual([cache.has(1), cache.has(2)], [false, true]);
  cache.forget();
  assert.equal(cache.has(2), false);
});
