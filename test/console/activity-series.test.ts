import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsOf, rangesOf, windowOf } from '../../packages/console/src/features/campaigns/activity-series.ts';
import { selectionError, selectionOf } from '../../packages/console/src/features/reports/selection.ts';

// Days are in the viewer's time zone, wherever the test runs.
const now = new Date(2026, 10, 18, 12, 9).getTime();
const hourMs = 3_600_000;

test('a chart has a point for every hour or day, including those without activity', () => {
  const hours = pointsOf([], windowOf('1', now, '2026-11-17T00:00:00Z'));
  const firstHour = new Date(Math.floor(now / hourMs - 23) * hourMs).toISOString().replace('.000', '');
  assert.deepEqual([hours.length, hours[0]?.at], [24, firstHour]);
  const days = pointsOf([], windowOf('all', now, new Date(2026, 10, 1, 12).toISOString()));
  assert.deepEqual([days.length, days[0]?.at, days.at(-1)?.at], [18, '2026-11-01', '2026-11-18']);
});

test('a range is called "All" only if the chart can show the whole campaign', () => {
  assert.equal(rangesOf(now, '2026-01-01T00:00:00Z').all, 'All');
  assert.equal(rangesOf(now, '2025-01-01T00:00:00Z').all, '366 days');
});

test('the longest chart and report are within the limits of the service, also across clock changes', () => {
  const { TZ } = process.env;
  process.env.TZ = 'Europe/Berlin';
  try {
    const lengths = Array.from({ length: 366 * 24 }, (_, hour) => {
      const { from, until } = windowOf('all', new Date(2026, 0, 1, hour, 30).getTime(), '2024-01-01T00:00:00Z');
      return (Date.parse(until) - Date.parse(from)) / hourMs;
    });
    assert.deepEqual([...new Set(lengths)].toSorted(), [366 * 24 - 1, 366 * 24, 366 * 24 + 1]);
    const reportOf = (from: string, to: string) => selectionError(selectionOf({ from, to }, {}, new Date(now)));
    assert.equal(reportOf('2025-10-25', '2026-10-26'), undefined, 'of 367 days and an hour');
    assert.notEqual(reportOf('2026-03-28', '2027-03-30'), undefined, 'of 368 days less an hour');
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});
