import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsOf, rangesOf, windowOf } from '../../packages/console/src/features/campaigns/activity-series.ts';

const now = Date.parse('2026-11-18T16:09:00Z');

test('a chart has a point for every hour or day, also where nothing happened', () => {
  const hours = pointsOf([], windowOf('1', now, '2026-11-17T00:00:00Z'));
  assert.deepEqual([hours.length, hours[0]?.at], [24, '2026-11-17T17:00:00Z']);
  const days = pointsOf([], windowOf('all', now, '2026-11-01T12:00:00Z'));
  assert.deepEqual([days.length, days[0]?.at, days.at(-1)?.at], [18, '2026-11-01', '2026-11-18']);
});

test('what a chart cannot show all of is not called all of it', () => {
  assert.equal(rangesOf(now, '2026-01-01T00:00:00Z').all, 'All of it');
  assert.equal(rangesOf(now, '2025-01-01T00:00:00Z').all, '366 days');
});
