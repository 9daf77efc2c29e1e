import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreeBetBody, JobBody } from '@freebets/contract';
import { expiryOf, leftText } from '../../packages/console/src/features/free-bets/left.ts';
import { startOf } from '../../packages/console/src/features/lists/start-time.ts';
import { comparedSpan } from '../../packages/console/src/features/overview/overview-data.ts';

test('a bulk award starts at start_at or when its upload is complete, the later of the two, unless stopped before', () => {
  const [nine, ten, eleven] = ['09', '10', '11'].map((hour) => `2026-11-18T${hour}:00:00Z`) as [string, string, string];
  const begin = (job: object) => startOf({ start_at: null, started_at: null, stopped_at: null, ...job } as JobBody);
  const scheduled = { status: 'scheduled', started_at: nine, start_at: eleven };
  assert.deepEqual(begin(scheduled), { name: 'Starts', at: eleven, side: 'ahead' });
  assert.deepEqual(begin({ ...scheduled, status: 'running' }), { name: 'Started', at: eleven, side: 'past' });
  assert.deepEqual(begin({ ...scheduled, status: 'stopped', stopped_at: ten }), {
    name: 'Started',
    at: null,
    side: 'past',
  });
  assert.deepEqual(begin({ status: 'finished', started_at: ten, start_at: nine }).at, ten);
  assert.deepEqual(begin({ status: 'open', start_at: eleven }), { name: 'Starts', at: eleven, side: 'either' });
  assert.equal(begin({ status: 'stopped', start_at: eleven, stopped_at: ten }).at, null);
});

test('a cancelled or expired free bet has no bets left, and only remaining bets can expire', () => {
  const at = '2026-11-20T10:00:00Z';
  const shown = (status: string, remaining: number) => {
    const freeBet = { status, remaining, quantity: 5, expires_at: at } as FreeBetBody;
    return [leftText(freeBet), expiryOf(freeBet).at, expiryOf(freeBet).is];
  };
  assert.deepEqual(shown('active', 5), ['5 of 5', at, 'ahead']);
  assert.deepEqual(shown('in_use', 2), ['2 of 5', at, 'ahead']);
  assert.deepEqual(shown('in_use', 0), ['0 of 5', null, 'ahead']);
  assert.deepEqual(shown('cancelled', 5), ['0 of 5', null, 'ahead']);
  assert.deepEqual(shown('expired', 2), ['0 of 5', at, 'past']);
  assert.deepEqual(shown('finished', 0), ['0 of 5', null, 'ahead']);
});

test('the compared hours end with the last whole hour', () => {
  assert.match(comparedSpan('2026-11-18T16:59:59.999Z', true), /^until \d\d:00$/);
  assert.equal(comparedSpan('2026-11-18T16:59:59.999Z', true), comparedSpan('2026-11-18T16:00:00.000Z', true));
  assert.equal(comparedSpan('2026-11-18T16:59:59.999Z', false), 'in whole hours');
});
