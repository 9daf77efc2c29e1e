import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relativeText, type Side } from '../../packages/console/src/ui/dates.ts';

test('relative times are lengths, which never suggest a wrong day or year', () => {
  const wednesday = '2026-11-18T16:09:00Z';
  const seen = (time: string) => relativeText(time, Date.parse(wednesday));
  const shown = {
    '2026-11-18T16:08:55Z': 'just now',
    '2026-11-18T16:07:30Z': '90 seconds ago',
    '2026-11-18T14:39:00Z': '90 minutes ago',
    '2026-11-20T01:09:00Z': 'in 33 hours',
    '2026-11-20T16:10:00Z': 'in 2 days',
    '2026-10-10T16:09:00Z': '39 days ago',
    '2028-04-10T16:09:00Z': 'in 17 months',
    '2036-11-18T16:09:00Z': 'in 10 years',
  };
  for (const [time, text] of Object.entries(shown)) assert.equal(seen(time), text, time);
});

test('a past time never reads as future, and a future time never as past', () => {
  const now = Date.parse('2026-11-18T16:09:00Z');
  const seen = (seconds: number, side: Side) => relativeText(new Date(now + seconds * 1000).toISOString(), now, side);
  for (const seconds of [1, 13, 20, 3600, 90 * 86_400]) {
    assert.equal(seen(seconds, 'past'), 'just now', `${seconds}`);
    assert.equal(seen(-seconds, 'ahead'), 'in a moment', `${seconds}`);
  }
  assert.deepEqual(
    [seen(0, 'past'), seen(-13, 'past'), seen(13, 'ahead')],
    ['just now', '13 seconds ago', 'in 13 seconds'],
  );
  assert.deepEqual(
    [seen(5, 'ahead'), seen(5, 'either'), seen(-5, 'either')],
    ['in a moment', 'in a moment', 'just now'],
  );
});
