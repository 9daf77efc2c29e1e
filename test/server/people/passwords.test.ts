import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { passwordProblem } from '../../../packages/server/src/people/password-rules.ts';
import { hashPassword, isHashedWeakly, isPassword } from '../../../packages/server/src/people/passwords.ts';

const password = 'seven green bottles';

/** As it would have been kept with other parameters. */
function hashedWith(memory: number, passes: number): string {
  const nonce = Buffer.from('a salt of 16 byt');
  const tag = argon2Sync('argon2id', { message: password, nonce, parallelism: 1, tagLength: 32, memory, passes });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=/g, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${text(nonce)}$${text(tag)}`;
}

test('a password is kept as argon2id, salted, and recognised', async () => {
  const [one, two] = [await hashPassword(password), await hashPassword(password)];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await isPassword(one, password), true);
  assert.equal(await isPassword(one, `${password} `), false);
  assert.equal(await isPassword(null, password), false);
  for (const broken of ['', password, one.slice(0, -1), one.replace('argon2id', 'argon2i'), `${one}\n`]) {
    assert.equal(await isPassword(broken, password), false, broken);
  }
});

test('composed and decomposed characters are the same, case is not', async () => {
  const kept = await hashPassword('früh am Morgen');
  assert.equal(await isPassword(kept, 'fru\u0308h am Morgen'), true);
  assert.equal(await isPassword(kept, 'früh am morgen'), false);
});

test('one that was hashed with less is recognised, and known for it', async () => {
  const old = hashedWith(8192, 1);
  assert.equal(await isPassword(old, password), true);
  assert.deepEqual([old, hashedWith(19_456, 1), hashedWith(8192, 2)].map(isHashedWeakly), [true, true, true]);
  assert.deepEqual([hashedWith(19_456, 2), hashedWith(32_768, 3)].map(isHashedWeakly), [false, false]);
});

const alice = { email: 'alice.smith@nova-games.example', name: 'Alice Ó Smith' };
const tooShort = 'must have at least 12 characters';
const common = 'must not be one that many people have';
const sequence = 'must not be a sequence or a repetition';
const own = 'must not be made of your name, your e-mail address or the name of the service';

for (const [reason, given] of [
  [tooShort, ['', 'eleven char', '😀'.repeat(11), 'e\u0301'.repeat(11)]],
  [
    common,
    [
      'password1234',
      'PASSWORD1234',
      'P@ssw0rd!!!!',
      'Welcome2026!!',
      '!!letmein!!2026',
      'correcthorsebatterystaple',
      'q1w2e3r4t5y6',
    ],
  ],
  [
    sequence,
    [
      'aaaaaaaaaaaa',
      'abababababab',
      'xyz1xyz1xyz1',
      '123456789012',
      '987654321098',
      'abcdefghijklm',
      'mnbvcxzlkjhgfd',
      'abcdefghij99',
      '😀'.repeat(12),
    ],
  ],
  [own, ['alice.smith1', 'AliceSmith2026', 'alice.smith@nova', 'freebets-2026', 'Smith+Freebets']],
  [
    undefined,
    [
      'seven green bottles',
      'tr0ub4dor&3xyz',
      'зелёный чайник',
      '830274659182',
      'dragon cheese forever ninja',
      'Alice likes her tea at noon',
    ],
  ],
] as const) {
  test(`passwords: ${reason ?? 'good ones'}`, () => {
    for (const each of given) assert.equal(passwordProblem(each, alice), reason, each);
  });
}

test('the longest one that can be sent is looked through in no time', () => {
  const runs = Array.from({ length: 10 }, () => {
    const began = performance.now();
    for (const unit of ['bet', '1qaz', 'password', 'my', 'abc']) {
      passwordProblem(`${unit.repeat(256).slice(0, 255)}é`, alice);
    }
    return performance.now() - began;
  });
  // The quickest, for the machine may have been busy with something else.
  assert.ok(Math.min(...runs) < 250, `${runs} ms`);
});
