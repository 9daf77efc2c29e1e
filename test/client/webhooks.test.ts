import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { verifyWebhook, WebhookError } from '@freebets/client';
import { signedHeaders } from '../../packages/server/src/events/webhooks/request.ts';
import { bodyOf, type WebhookVector, webhookVectors } from '../support/vectors.ts';

const verified = (vector: WebhookVector, given: unknown = vector.headers) =>
  verifyWebhook(bodyOf(vector), given as Record<string, string>, vector.secrets, {
    nowMs: vector.now * 1000,
    path: vector.path,
    toleranceS: vector.tolerance_s,
    allowUntimed: vector.allow_untimed,
  });

const [first] = webhookVectors as [WebhookVector];

for (const vector of webhookVectors) {
  test(`a webhook: ${vector.name}`, async () => {
    if (vector.result === 'genuine') {
      assert.deepEqual(await verified(vector), JSON.parse(bodyOf(vector).toString()));
      return;
    }
    await assert.rejects(verified(vector), (error) => {
      assert.ok(error instanceof WebhookError);
      assert.equal(error.reason, vector.result);
      return true;
    });
  });
}

test('events of the service verify with plain and strict signing, and with one or two secrets', async () => {
  const secrets = ['a-new-secret', 'an-old-secret'];
  const keys = secrets.map((secret) => createSecretKey(secret, 'utf8'));
  const body = bodyOf(first).toString();
  const url = 'https://example.com/events?from=freebets';
  for (const isStrict of [false, true]) {
    const headers = signedHeaders({ keys, isStrict }, { eventId: 'an-event', url, body }, Date.now());
    for (const known of [secrets, ...secrets]) {
      const event = await verifyWebhook(body, headers, known, isStrict ? { path: '/events?from=freebets' } : {});
      assert.equal(event.sequence, 1);
    }
    await assert.rejects(verifyWebhook(body, headers, 'another-secret'), { reason: 'wrong_signature' });
  }
});

test('many signatures cost one HMAC per secret', async (t) => {
  const made = ['sign', 'verify'].map((name) => t.mock.method(crypto.subtle, name as 'sign'));
  const many = Array(1000)
    .fill(`v1,${'A'.repeat(43)}=`)
    .join(' ');
  const forged = { ...first, secrets: ['one', 'other'], headers: { ...first.headers, 'webhook-signature': many } };
  await assert.rejects(verified(forged), { reason: 'wrong_signature' });
  assert.equal(
    made.reduce((count, { mock }) => count + mock.callCount(), 0),
    2,
  );
});

test('verifyWebhook accepts headers of fetch, of Node.js, and as a list', async () => {
  const { headers } = first;
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  for (const given of [new Headers(headers), { ...headers, missing: undefined }, Object.entries(headers), lists]) {
    assert.equal((await verified(first, given)).sequence, 1);
  }
});

test('verifyWebhook accepts the body as bytes or text', async () => {
  const bytes = bodyOf(first);
  const alone = new Uint8Array(bytes);
  for (const given of [bytes, alone, alone.buffer, bytes.toString()]) {
    const event = await verifyWebhook(given, first.headers, first.secrets, { nowMs: first.now * 1000 });
    assert.equal(event.sequence, 1);
  }
});

test('verifyWebhook refuses a parsed body and says what to do', async () => {
  for (const given of [JSON.parse(bodyOf(first).toString()), null, undefined, 1]) {
    await assert.rejects(verifyWebhook(given, first.headers, first.secrets), {
      name: 'TypeError',
      message: /needs the body as the bytes that came.*express\.raw/,
    });
  }
});

test('verifyWebhook refuses a missing secret', async () => {
  const at = { nowMs: first.now * 1000 };
  await assert.rejects(verifyWebhook(bodyOf(first), first.headers, [], at), { reason: 'wrong_signature' });
  // A missing setting is no secret: anyone could sign with the key "null".
  for (const missing of ['', null, undefined, 0]) {
    const forged = { 'x-request-sign': createHmac('sha256', String(missing)).update(bodyOf(first)).digest('hex') };
    for (const secrets of [missing, [...first.secrets, missing]]) {
      await assert.rejects(verifyWebhook(bodyOf(first), forged, secrets as string[], at), /secret is empty/);
    }
  }
});
