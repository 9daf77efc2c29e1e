import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relativeText } from '../../packages/console/src/ui/relative-time.ts';

test('how far a time is away is said as a length, and never as another day or year than it is', () => {
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
