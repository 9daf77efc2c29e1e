import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failuresOf, isRefused, subjectOfEmail } from '../../../packages/server/src/people/failures.ts';
import { subjectOfAddress } from '../../../packages/server/src/primitives/networks.ts';

const email = 'email alice@example.com';
const address = 'address 203.0.113.7';

/** The time of refusal after this many failures, measured at every half second. */
function refusedForMs(subject: string, failures: number): number {
  let ms = 0;
  while (isRefused({ subject, failures, failed_at: 0, now: ms })) ms += 500;
  return ms;
}

test('from the fifth failure on, twice as long each time; an account is locked at the tenth', () => {
  const counts = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 50];
  const lock = 30 * 60_000;
  assert.deepEqual(
    counts.map((count) => refusedForMs(email, count)),
    [0, 0, 0, 1000, 2000, 4000, 8000, 16_000, lock, lock, lock],
  );
  assert.deepEqual(
    counts.map((count) => refusedForMs(address, count)),
    [0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000],
  );
});

test('failures count for half an hour, those of an address for five minutes', () => {
  for (const [subject, ms] of [
    [email, 30 * 60_000],
    [address, 5 * 60_000],
  ] as const) {
    assert.equal(failuresOf({ subject, failures: 7, failed_at: 0, now: ms - 1 }), 7);
    assert.equal(failuresOf({ subject, failures: 7, failed_at: 0, now: ms }), 0);
  }
});

test('failures that are counted together', () => {
  assert.equal(subjectOfEmail('Alice@Example.COM'), email);
  for (const [given, subject] of [
    ['203.0.113.7', address],
    ['::ffff:203.0.113.7', address],
    ['::FFFF:cb00:7107', address],
    ['2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', 'address 2001:db8:1:2::/64'],
    ['2001:db8::9', 'address 2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'address fe80:0:0:0::/64'],
    ['::1', 'address 0:0:0:0::/64'],
    [null, 'address unknown'],
    ['no address', 'address unknown'],
  ] as const) {
    assert.equal(subjectOfAddress(given), subject, String(given));
  }
});
