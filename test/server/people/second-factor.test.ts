import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashRecoveryCode, newRecoveryCodes } from '../../../packages/server/src/people/recovery-codes.ts';
import {
  base32,
  newTotpSecret,
  stepAt,
  stepOfCode,
  totpCode,
} from '../../../packages/server/src/people/second-factor.ts';

const secret = base32(Buffer.from('12345678901234567890'));

test('base32 is that of RFC 4648', () => {
  assert.deepEqual(
    ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text))),
    ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'],
  );
});

test('codes are those of RFC 6238, of which six digits are shown', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const) {
    assert.equal(totpCode(secret, stepAt(seconds * 1000)), code);
  }
});

test('a code is recognised one step either side, and says of which it is', () => {
  const now = 1_234_567_890_000;
  const step = stepAt(now);
  const found = [-2, -1, 0, 1, 2].map((off) => stepOfCode(secret, totpCode(secret, step + off), now));
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined]);
  for (const code of ['', '00592', '0059240', ' 05924', '００５９２４', 'abcdef']) {
    assert.equal(stepOfCode(secret, code, now), undefined, code);
  }
});

test('secrets are of 20 bytes, and recovery codes of 10', () => {
  assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/);
  assert.notEqual(newTotpSecret(), newTotpSecret());
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  const [code = ''] = codes;
  assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  assert.deepEqual(hashRecoveryCode(code.toLowerCase().replaceAll('-', '')), hashRecoveryCode(code));
});
