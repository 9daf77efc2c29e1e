import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Lease, takeLease } from '../../../packages/server/src/background/runner.ts';

// A lease by itself, with time moved by hand; that of a webhook is tested with its couriers.

mock.timers.enable({ apis: ['setTimeout'] });
let now = 0;
mock.method(performance, 'now', () => now);
const pass = async (ms: number) => {
  await turn();
  now += ms;
  mock.timers.tick(ms);
  await turn();
};

const times = { lastsMs: 10_000, renewMs: 3000, doubtMs: 4000 };

async function hold(take = async () => {}) {
  const calls: unknown[][] = [];
  let lost = 0;
  const row = {
    async take(...args: unknown[]) {
      calls.push(['take', ...args]);
      await take();
      return 'terms';
    },
    async giveBack(...args: unknown[]) {
      calls.push(['give back', ...args]);
    },
  };
  const taken = await takeLease(row, 'me', times, () => lost++);
  assert.equal(taken?.terms, 'terms');
  return { lease: taken?.lease as Lease, calls, timesLost: () => lost };
}

const never = () => false;

test('a lease is taken, renewed by writes, and given back', async () => {
  const { lease, calls, timesLost } = await hold();
  assert.deepEqual([lease.isHeld(), lease.renewalInMs(), lease.takenAt], [true, 3000, now]);
  await pass(3000);
  assert.equal(lease.renewalInMs(), 0);
  const written = await lease.renew(async (...args) => calls.push(args), never);
  assert.deepEqual([written, lease.renewalInMs()], [2, 3000]);
  await lease.giveBack();
  assert.deepEqual(calls, [
    ['take', 'me', 10_000],
    ['me', 10_000],
    ['give back', 'me'],
  ]);
  assert.equal(lease.isHeld(), false);
  lease.lose();
  assert.equal(timesLost(), 0, 'a released lease is not lost');
  await assert.rejects(lease.giveBack(), /given back once/);
  await assert.rejects(
    lease.renew(async () => 1, never),
    /only the holder writes/,
  );
});

test('takeLease returns undefined if another server holds the lease', async () => {
  const row = { take: async () => undefined, giveBack: assert.fail };
  assert.equal(await takeLease(row, 'me', times, assert.fail), undefined);
});

test('a lease not renewed for long is doubtful and can still be renewed', async () => {
  const { lease } = await hold();
  await pass(4000);
  assert.equal(lease.isDoubtful(), false);
  await pass(1);
  assert.equal(lease.isDoubtful(), true);
  await pass(20_000);
  await lease.renew(async () => 1, never);
  assert.deepEqual([lease.isDoubtful(), lease.isHeld()], [false, true]);
});

test('the time of a lease counts from its statement, even with a late response', async () => {
  const { lease } = await hold(() => pass(5000));
  assert.equal(lease.isDoubtful(), true);
  await lease.renew(async () => pass(1000).then(() => 1), never);
  assert.equal(lease.renewalInMs(), 2000);
});

test('a lease is lost when a write finds another holder, and then refuses writes', async () => {
  const { lease, timesLost } = await hold();
  assert.equal(await lease.renew(async () => undefined, never), undefined);
  lease.lose();
  assert.deepEqual([lease.isHeld(), timesLost()], [false, 1]);
  await assert.rejects(
    lease.renew(async () => 1, never),
    /only the holder writes/,
  );
  await lease.giveBack();
});

test('a failed write is retried while allowed, then the lease is lost', async () => {
  const { lease, timesLost } = await hold();
  let tries = 0;
  const write = async () => {
    tries += 1;
    if (tries < 4) throw new Error(`try ${tries}`);
    return tries;
  };
  const written = lease.renew(write, () => true);
  for (let i = 1; i < 4; i++) {
    assert.equal(tries, i);
    await pass(200);
  }
  assert.deepEqual([await written, lease.renewalInMs(), timesLost()], [4, 3000, 0]);
  tries = 0;
  await assert.rejects(lease.renew(write, never), /try 1/);
  assert.deepEqual([lease.isHeld(), timesLost()], [false, 1]);
});

test('a write is not retried once the lease is lost', async () => {
  const { lease, timesLost } = await hold();
  let tries = 0;
  const written = lease.renew(
    async () => {
      tries += 1;
      throw new Error('unavailable');
    },
    () => true,
  );
  await pass(100);
  lease.lose();
  const refused = assert.rejects(written, /unavailable/);
  await pass(100);
  await refused;
  assert.deepEqual([tries, timesLost()], [2, 1]);
});
