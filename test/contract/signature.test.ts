import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { sign, signatureHeader } from '@freebets/contract';
import { signatureVectors as vectors } from '../support/signature-vectors.ts';

test('the header has its name', () => {
  assert.equal(signatureHeader, 'X-REQUEST-SIGN'.toLowerCase());
});

test('signatures are those that openssl makes', () => {
  for (const [secret, body, signature] of vectors) assert.equal(sign(body, secret), signature, body);
});

test('text, bytes and a prepared key sign alike', () => {
  for (const [secret, body, signature] of vectors) {
    assert.equal(sign(Buffer.from(body), secret), signature);
    assert.equal(sign(new Uint8Array(Buffer.from(body)), createSecretKey(secret, 'utf8')), signature);
  }
});

test('any byte changes it', () => {
  const [[secret, body, signature] = ['', '', '']] = vectors;
  for (let i = 0; i < body.length; i++) {
    const other = Buffer.from(body);
    other[i] = (other[i] ?? 0) ^ 1;
    assert.notEqual(sign(other, secret), signature);
  }
  assert.notEqual(sign(body, `${secret} `), signature);
});
