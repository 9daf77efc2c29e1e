import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openSecret, sealSecret } from '../../../packages/server/src/primitives/sealing.ts';

const masterKey = randomBytes(32);
const sealed = sealSecret([masterKey], 'partner 1', 'a secret');

test('a secret opens for its owner, under its key', () => {
  assert.equal(openSecret([masterKey], 'partner 1', sealed), 'a secret');
  assert.equal(openSecret([masterKey], 'partner 2', sealed), undefined);
  assert.equal(openSecret([randomBytes(32)], 'partner 1', sealed), undefined);
});

test('a secret truncated at any place cannot be decrypted, and affects no other', () => {
  for (let length = 0; length < sealed.length; length++) {
    assert.equal(openSecret([masterKey], 'partner 1', sealed.subarray(0, length)), undefined, `${length} bytes`);
  }
});
