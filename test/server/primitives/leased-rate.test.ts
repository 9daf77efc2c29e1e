import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  leasedLimiter,
  openBuckets,
  type RateLimiter,
  type Taken,
} from '../../../packages/server/src/primitives/rate-limit.ts';

// Processes that lease their tokens from one bucket. Its clock is moved by the test.

function processes(count: number, limit: number, burst: number) {
  const take = openBuckets(limit, burst);
  const state = { bucketMs: 0, leases: 0 };
  const lease = async (caller: string, least: number, most: number): Promise<Taken> => {
    state.leases += 1;
    return take(caller, state.bucketMs, least, most);
  };
  const limiters = Array.from({ length: count }, () => leasedLimiter(limit, burst, count, lease) as RateLimiter);
  return { state, limiters };
}

const allowedOf = async (limiters: RateLimiter[], each: number): Promise<number> => {
  const asked = limiters.flatMap((limiter) => Array.from({ length: each }, () => limiter('a', performance.now())));
  return (await Promise.all(asked)).filter(({ allowed }) => allowed).length;
};

test('all together never allow more than the bucket has, and nothing of it is lost while they ask', async () => {
  const { state, limiters } = processes(4, 1000, 2000);
  assert.equal(await allowedOf(limiters, 1000), 2000);
  assert.equal(await allowedOf(limiters, 10), 0);
  state.bucketMs += 100;
  assert.equal(await allowedOf(limiters, 100), 100);
});

test('most requests need no lease of their own, and are answered at once', async () => {
  const { state, limiters } = processes(4, 1000, 2000);
  const [limiter] = limiters as [RateLimiter];
  const verdicts = [];
  for (let i = 0; i < 500; i++) verdicts.push(await limiter('a', performance.now()));
  assert.ok(verdicts.every(({ allowed }) => allowed));
  assert.equal(state.leases, 10);
  const { remaining } = verdicts.at(-1) as { remaining: number };
  assert.equal(remaining, 1500);
});

test('where there is little, it is leased one by one, so that no process keeps what another needs', async () => {
  const { state, limiters } = processes(4, 1, 5);
  assert.equal(await allowedOf(limiters, 5), 5);
  const refused = await (limiters[0] as RateLimiter)('a', performance.now());
  assert.deepEqual(refused, { allowed: false, remaining: 0, retryAfterS: 1 });
  state.bucketMs += 1000;
  assert.equal(await allowedOf(limiters, 1), 1);
});

test('unused tokens expire, and a caller does not use up the tokens of another', async () => {
  const { state, limiters } = processes(2, 1000, 2000);
  const [limiter] = limiters as [RateLimiter];
  const now = performance.now();
  await limiter('a', now);
  await limiter('a', now + 5000);
  assert.equal(state.leases, 2);
  assert.equal((await limiter('b', now)).remaining, 1999);
});

test('a request for many tokens takes all of them or none', async () => {
  const { state, limiters } = processes(2, 100, 100);
  const [one, other] = limiters as [RateLimiter, RateLimiter];
  const now = performance.now();
  assert.equal((await one('a', now, 60)).allowed, true);
  assert.deepEqual(await other('a', now, 60), { allowed: false, remaining: 40, retryAfterS: 1 });
  assert.equal((await other('a', now, 40)).allowed, true);
  state.bucketMs += 500;
  const [big, ...small] = await Promise.all([one('a', now, 51), ...Array.from({ length: 50 }, () => one('a', now, 1))]);
  assert.equal(big?.allowed, false);
  assert.equal(small.filter(({ allowed }) => allowed).length, 50);
});

test('tokens that arrive late are used all the same', async (t) => {
  const take = openBuckets(1000, 2000);
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  let leases = 0;
  const lease = async (caller: string, least: number, most: number): Promise<Taken> => {
    leases += 1;
    const taken = take(caller, 0, least, most);
    nowMs += 2000;
    return taken;
  };
  const limiter = leasedLimiter(1000, 2000, 1, lease) as RateLimiter;
  const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter('a', nowMs)));
  assert.ok(verdicts.every(({ allowed }) => allowed));
  assert.equal(leases, 1);
});

test('no limit is no limiter', () => {
  assert.equal(
    leasedLimiter(0, 10, 2, async () => ({ tokens: 0, remaining: 0, retryAfterS: 1 })),
    undefined,
  );
});
