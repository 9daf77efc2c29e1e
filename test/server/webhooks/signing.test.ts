import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from '../../../packages/server/src/webhooks/signing.ts';

const secrets = ['test-secret', 'the-secret-before'];
const [newest, previous] = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
assert(newest && previous);
const body = '{"client_id":1}';
const signature = '23a8bba52d0cc187d7dd4428ac546f574e706c2c06620f3c7f3dfdcabd196aab';

test('an event is signed as requests are, and as Standard Webhooks says', () => {
  assert.deepEqual(signedHeaders([newest], 'event-1', body, 1_760_000_000_999), {
    'content-type': 'application/json',
    'x-request-sign': signature,
    'webhook-id': 'event-1',
    'webhook-timestamp': '1760000000',
    'webhook-signature': 'v1,GfN7jaKSHFkjdUzllg2Jdg1j+HE7t1ts0KvwXe7BKJs=',
  });
});

test('while a secret is being replaced, both sign', () => {
  const headers = signedHeaders([newest, previous], 'event-1', body, Date.now());
  assert.equal(headers['x-request-sign'], signature);
  assert.equal(headers['x-request-sign-previous'], signedHeaders([previous], 'event-1', body, 0)['x-request-sign']);
  assert.match(headers['webhook-signature'] ?? '', /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
});

test('the library of Standard Webhooks verifies with either secret, and with no other', () => {
  const text = JSON.stringify({ name: 'Zoë 🎰' });
  const verify = (secret: string, headers: Record<string, string>, content = text) =>
    new Webhook(Buffer.from(secret).toString('base64')).verify(content, headers);
  const headers = signedHeaders([newest, previous], 'event-2', text, Date.now());
  for (const secret of secrets) assert.deepEqual(verify(secret, headers), JSON.parse(text));
  assert.throws(() => verify('another', headers), /No matching signature/);
  assert.throws(() => verify('test-secret', headers, `${text} `), /No matching signature/);
  assert.throws(() => verify('test-secret', { ...headers, 'webhook-id': 'event-3' }), /No matching signature/);
});
