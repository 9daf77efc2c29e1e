import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsOf, rangesOf, windowOf } from '../../packages/console/src/features/campaigns/activity-series.ts';

// Days are those of the viewer, wherever the test is run.
const now = new Date(2026, 10, 18, 12, 9).getTime();
const hourMs = 3_600_000;

test('a chart has a point for every hour or day, also where nothing happened', () => {
  const hours = pointsOf([], windowOf('1', now, '2026-11-17T00:00:00Z'));
  const firstHour = new Date(Math.floor(now / hourMs - 23) * hourMs).toISOString().replace('.000', '');
  assert.deepEqual([hours.length, hours[0]?.at], [24, firstHour]);
  const days = pointsOf([], windowOf('all', now, new Date(2026, 10, 1, 12).toISOString()));
  assert.deepEqual([days.length, days[0]?.at, days.at(-1)?.at], [18, '2026-11-01', '2026-11-18']);
});

test('what a chart cannot show all of is not called all of it', () => {
  assert.equal(rangesOf(now, '2026-01-01T00:00:00Z').all, 'All of it');
  assert.equal(rangesOf(now, '2025-01-01T00:00:00Z').all, '366 days');
});
