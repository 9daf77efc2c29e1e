import assert from 'node:assert/strict';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { delayAfter, keepPace } from '../../../../packages/server/src/events/webhooks/attempt.ts';

test('the next attempt comes up to a tenth later than the schedule says, and never before Retry-After', () => {
  const schedule = [5000, 300_000, 1_800_000];
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  const retryAfterMs = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 86_400_000 }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), retryAfterMs, random, (attempts, retryAfterMs, random) => {
      const plannedMs = schedule[attempts - 1] as number;
      const delayMs = delayAfter(schedule, attempts, retryAfterMs, random) as number;
      assert.ok(delayMs >= plannedMs && delayMs >= retryAfterMs);
      assert.ok(delayMs <= Math.max(plannedMs * 1.1, retryAfterMs));
    }),
  );
  assert.equal(delayAfter(schedule, 4, 60_000, 0.5), undefined, 'that was the last');
});

test('a busy process starts a limited number of attempts per second while requests are in progress', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  let utilization = 1;
  const read = (now?: EventLoopUtilization) => ({ idle: 0, active: 0, utilization: now ? utilization : 0 });
  t.mock.method(performance, 'eventLoopUtilization', read);
  let hasRequests = true;
  const pace = keepPace(() => hasRequests, 500, assert.ifError);
  await turn();
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await turn();
  };
  const started = (wanted: number) => Array.from({ length: wanted }, () => pace.mayStart()).filter(Boolean).length;

  assert.equal(started(200), 200, 'nothing is known yet');
  await pass(100);
  assert.equal(started(200), 50);
  assert.equal(started(1), 0);
  await pass(100);
  assert.equal(started(200), 50);
  hasRequests = false;
  assert.equal(started(200), 200);
  hasRequests = true;
  utilization = 0.5;
  await pass(100);
  assert.equal(started(200), 200);
  await pace.stop();
});
