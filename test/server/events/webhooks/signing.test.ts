import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from '../../../../packages/server/src/events/webhooks/request.ts';

const secrets = ['test-secret', 'the-secret-before'];
const [newest, previous] = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
assert(newest && previous);
const body = '{"client_id":1}';
const url = 'https://partner.example/events?for=us';
const headersOf = (keys: (typeof newest)[], eventId: string, body: string, nowMs = Date.now(), isStrict = false) =>
  signedHeaders({ keys, isStrict }, { eventId, url, body }, nowMs);
const signature = '23a8bba52d0cc187d7dd4428ac546f574e706c2c06620f3c7f3dfdcabd196aab';

test('an event is signed as requests are, and as Standard Webhooks says', () => {
  assert.deepEqual(headersOf([newest], 'event-1', body, 1_760_000_000_999), {
    'content-type': 'application/json',
    'x-request-sign': signature,
    'webhook-id': 'event-1',
    'webhook-timestamp': '1760000000',
    'webhook-signature': 'v1,GfN7jaKSHFkjdUzllg2Jdg1j+HE7t1ts0KvwXe7BKJs=',
  });
});

test('while a secret is being replaced, both sign', () => {
  const headers = headersOf([newest, previous], 'event-1', body);
  assert.equal(headers['x-request-sign'], signature);
  assert.equal(headers['x-request-sign-previous'], headersOf([previous], 'event-1', body, 0)['x-request-sign']);
  assert.match(headers['webhook-signature'] ?? '', /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
});

/** Made with: printf '1760000000\\n/events?for=us\\n{"client_id":1}' | openssl dgst -sha256 -hmac SECRET */
const timed = [
  '481d017ca13867f72f0fb3acf6b0f36be0ff43f20431e4b4260cca67a230ccfc',
  'bb6d674def23fdbadd7fd920dd1b460e5d329edcf694c836b0ad0252dcea47a7',
];

test('for strict signing the time and the path are signed too, the query with it', () => {
  const headers = headersOf([newest, previous], 'event-1', body, 1_760_000_000_999, true);
  assert.equal(headers['x-request-time'], '1760000000');
  assert.deepEqual([headers['x-request-sign'], headers['x-request-sign-previous']], timed);
  const { 'x-request-time': _, 'x-request-sign': __, 'x-request-sign-previous': ___, ...rest } = headers;
  assert.deepEqual(Object.keys(rest), ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature']);
});

test('the library of Standard Webhooks verifies with either secret, and with no other', () => {
  const text = JSON.stringify({ name: 'Zoë 🎰' });
  const verify = (secret: string, headers: Record<string, string>, content = text) =>
    new Webhook(Buffer.from(secret).toString('base64')).verify(content, headers);
  const headers = headersOf([newest, previous], 'event-2', text);
  for (const secret of secrets) assert.deepEqual(verify(secret, headers), JSON.parse(text));
  assert.throws(() => verify('another', headers), /No matching signature/);
  assert.throws(() => verify('test-secret', headers, `${text} `), /No matching signature/);
  assert.throws(() => verify('test-secret', { ...headers, 'webhook-id': 'event-3' }), /No matching signature/);
});
