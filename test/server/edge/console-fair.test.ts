import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { whileHeld } from '../../support/held-table.ts';
import { testServer } from '../../support/server.ts';
import { type StaffAnswer, signedIn, staffCall } from '../../support/staff.ts';

// Heavy use by one staff user must not slow down partners or other staff.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, READ_QUEUE: '1', RATE_LIMIT: '1000', RATE_BURST: '2000' });

test('staff reads have their own queue, separate from the partner’s', async () => {
  const support = await signedIn(sql, 'support', [1]);
  const reads = await whileHeld(sql, 'free_bets', async () => {
    const sent = Array.from({ length: 40 }, () => staffCall(url, '/FreeBets/List', { client_id: 1 }, support));
    assert.equal((await Promise.race(sent)).status, 503, 'no more may wait');
    accepted('JobList', await call(url, 'JobList', {}));
    return sent;
  });
  const statuses = new Set((await Promise.all(reads)).map(({ status }) => status));
  assert.deepEqual([...statuses].toSorted(), [200, 503]);
});

test('each user has a rate limit across all operations, checked before the body is read', async (t) => {
  const [eager, colleague] = [await signedIn(sql, 'viewer'), await signedIn(sql, 'viewer')];
  const begun = performance.now();
  const clock = t.mock.method(performance, 'now', () => begun);
  const many = await Promise.all(Array.from({ length: 110 }, () => staffCall(url, '/Session/Get', '[', eager)));
  assert.deepEqual(
    many.map(({ status }) => status).toSorted(),
    [...Array(100).fill(400), ...Array(10).fill(429)],
    'the burst size',
  );
  const { body, headers } = many.find(({ status }) => status === 429) as StaffAnswer;
  assert.deepEqual([body.error, headers.get('retry-after')], ['too_many_requests', '1']);
  assert.equal((await staffCall(url, '/Session/Get', {}, colleague)).status, 200);
  clock.mock.mockImplementation(() => begun + 20);
  assert.equal((await staffCall(url, '/Session/Get', {}, eager)).status, 200);
  assert.equal((await staffCall(url, '/Catalogue/Games', {}, eager)).status, 429);
});
