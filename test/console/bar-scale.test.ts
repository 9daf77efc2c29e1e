import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsPerLabel, ticksUpTo } from '../../packages/console/src/ui/bar-scale.ts';

test('ticks are round, start at 0 and end above every value', () => {
  assert.deepEqual(ticksUpTo(158, true), [0, 50, 100, 150, 200]);
  assert.deepEqual(ticksUpTo(200, true), [0, 50, 100, 150, 200]);
  assert.deepEqual(ticksUpTo(201, true), [0, 100, 200, 300]);
  assert.deepEqual(ticksUpTo(9_000_000, true), [0, 5_000_000, 10_000_000]);
  for (const largest of [0.01, 0.3, 1, 7, 99.99, 1e6, 123_456_789_012.34]) {
    const ticks = ticksUpTo(largest, false);
    assert.ok((ticks.at(-1) ?? 0) >= largest && ticks.length <= 5, `${largest}: ${ticks}`);
  }
});

test('counts get whole ticks, and a chart without activity still has a scale', () => {
  assert.deepEqual(ticksUpTo(2, true), [0, 1, 2]);
  assert.deepEqual(ticksUpTo(0.02, false), [0, 0.005, 0.01, 0.015, 0.02]);
  assert.deepEqual(ticksUpTo(0, true), [0, 1]);
  assert.ok((ticksUpTo(0, false).at(-1) ?? 0) > 0);
});

test('labels that do not fit are left out', () => {
  const days = Array.from({ length: 14 }, (_, index) => `${index + 1} Nov`);
  assert.equal(barsPerLabel(days, 2000), 1);
  assert.equal(barsPerLabel(days, 400), 3);
  assert.equal(barsPerLabel(days, 700, 5), 1, 'shortened labels fit');
  assert.equal(barsPerLabel(days, 0), 14, 'before the page is laid out');
});
