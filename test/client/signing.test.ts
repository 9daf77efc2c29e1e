import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { signerOf, signRequest } from '@freebets/client';
import { sign } from '@freebets/contract';
import { bodyOf, signatureVectors } from '../support/vectors.ts';

test('signatures match the vectors, with and without time and path', async () => {
  for (const vector of signatureVectors) {
    const { secret, time, path, signature, name } = vector;
    const prefix = time === undefined ? '' : `${time}\n${path}\n`;
    const bytes = Buffer.concat([Buffer.from(prefix), bodyOf(vector)]);
    assert.equal(await signerOf(secret)(bytes), signature, name);
  }
});

test('the client and the service compute the same signature for any secret and bytes', async () => {
  for (const length of [1, 31, 32, 63, 64, 65, 1000]) {
    const secret = randomBytes(length).toString('base64');
    const signed = signerOf(secret);
    for (const size of [0, 1, 55, 64, 100_000]) {
      const body = randomBytes(size);
      assert.equal(await signed(body), sign(body, secret), `a secret of ${length} bytes, a body of ${size}`);
    }
  }
});

test('bytes are signed and sent unchanged', async () => {
  const body = Buffer.from([0xff, 0x00, 0x7b]);
  const { path, headers, body: passed } = await signRequest(signerOf('a-secret'), 'Cancel', body);
  assert.equal(path, '/v3/FreeBets/Cancel');
  assert.deepEqual(headers, { 'content-type': 'application/json', 'x-request-sign': sign(body, 'a-secret') });
  assert.equal(passed, body);
});

test('with a time, the signature covers time, path and bytes, and the bytes are sent unchanged', async () => {
  const body = Buffer.from('{"client_id":1}');
  const { headers, body: passed } = await signRequest(signerOf('test-secret'), 'Cancel', body, 1_760_000_000_999);
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'x-request-time': '1760000000',
    'x-request-sign': 'efe8622225af3671d86a8ff946a8a06e3302377c5abe7aa00b5284523bd3bac9',
  });
  assert.equal(passed, body);
});

test('the client needs only fetch and WebCrypto, and imports nothing else', () => {
  const folder = new URL('../../packages/client/src/', import.meta.url);
  const needed = readdirSync(folder).flatMap((name) =>
    readFileSync(new URL(name, folder), 'utf8')
      .matchAll(/ from '([^']+)'/g)
      .map(([, from]) => from)
      .filter((from) => !from?.startsWith('./'))
      .toArray(),
  );
  assert.deepEqual(needed, []);
});
