import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { sign, signatureHeader, timedPrefix } from '@freebets/contract';
import { bodyOf, type SignatureVector, signatureVectors as vectors } from '../support/vectors.ts';

const prefixOf = ({ time, path }: SignatureVector) => (time === undefined ? '' : timedPrefix(time, path ?? ''));

test('the header has its name', () => {
  assert.equal(signatureHeader, 'X-REQUEST-SIGN'.toLowerCase());
});

test('signatures are those of the vectors', () => {
  assert.ok(vectors.length > 20);
  for (const vector of vectors) {
    assert.equal(sign(bodyOf(vector), vector.secret, prefixOf(vector)), vector.signature, vector.name);
  }
});

test('no two of them are equal: every byte of the body, the secret, the time and the path counts', () => {
  assert.equal(new Set(vectors.map(({ signature }) => signature)).size, vectors.length);
});

test('text, bytes and a prepared key sign alike', () => {
  for (const vector of vectors) {
    const { secret, signature, body } = vector;
    if (body !== undefined) assert.equal(sign(body, secret, prefixOf(vector)), signature);
    const key = createSecretKey(secret, 'utf8');
    assert.equal(sign(new Uint8Array(bodyOf(vector)), key, prefixOf(vector)), signature);
  }
});

test('any byte changes it', () => {
  const { secret, body = '', signature } = vectors[0] as SignatureVector;
  for (let i = 0; i < body.length; i++) {
    const other = Buffer.from(body);
    other[i] = (other[i] ?? 0) ^ 1;
    assert.notEqual(sign(other, secret), signature);
  }
  assert.notEqual(sign(body, `${secret} `), signature);
});
