import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { sign } from '@freebets/contract';
import { Webhook } from 'standardwebhooks';
import { resendEvents } from '../../../../packages/server/src/events/webhooks/sql/deliveries.ts';
import { rotateSecret, setCallerAccess } from '../../../../packages/server/src/partners/callers/sql/secrets.ts';
import { announceChange } from '../../../../packages/server/src/partners/reference/sql.ts';
import { newSecret, ownerOf, sealSecret } from '../../../../packages/server/src/primitives/sealing.ts';
import { version } from '../../../../packages/server/src/primitives/version.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { type Received, repeated, startReceiver } from '../../../support/receiver.ts';
import { campaign } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import {
  createPartners,
  deliveriesOf,
  isAllWrittenDown,
  issue,
  metric,
  setWebhook,
  webhookOf,
} from '../../../support/webhooks.ts';

// Committed events arrive at the partner's webhook: all of them, signed, and as in the feed.

const database = await testDatabase();
const { env, sql } = database;
const partners = await createPartners(database, 6);
const [many, again, shared, flaky, rotating, strict] = partners as [
  typeof demo,
  typeof demo,
  typeof demo,
  typeof demo,
  typeof demo,
  typeof demo,
];
const settings = { ...env, WEBHOOK_ALLOW_PRIVATE: 'yes', WEBHOOK_RETRIES_S: Array(20).fill('0.05').join() };
const server = await testServer(settings);
const { url } = server;

/** As a partner would, with a library and with what it signs its own requests with. */
function assertSigned({ body, headers, event }: Received, secret: string, header = 'x-request-sign'): void {
  assert.equal(headers['webhook-id'], event.event_id);
  assert.deepEqual(new Webhook(secret, { format: 'raw' }).verify(body, headers as Record<string, string>), event);
  assert.equal(headers[header], sign(body, secret));
}

test('an event is posted to the webhook, signed and identical to the feed', async () => {
  const receiver = await startReceiver();
  await setWebhook(sql, demo, receiver.url);
  await call(url, 'CampaignCreate', campaign({ name: 'Żółw "🎰" \\' }));
  await issue(url, rival);
  await issue(url, demo, 2);
  await until('three events', 10_000, () => receiver.requests.length === 3);

  const feed = await call(url, 'EventsList', { after: 0 });
  for (const request of receiver.requests) {
    assert.equal(`${request.method} ${request.path}`, 'POST /events?for=us');
    assert.equal(request.headers['content-type'], 'application/json');
    assert.equal(request.headers['user-agent'], `freebets/${version}`);
    assert.ok(feed.text.includes(request.body), `${request.body} is not in ${feed.text}`);
    assertSigned(request, demo.secret);
  }
  const inOrder = receiver.requests.map(({ event }) => event).sort((a, b) => a.sequence - b.sequence);
  assert.deepEqual(inOrder, await readFeed(url));
  assert.equal(await webhookOf(sql, rival), undefined);
});

test('a partner with strict signing gets the time with its events, signed with the path', async () => {
  const receiver = await startReceiver();
  await setWebhook(sql, strict, receiver.url);
  await setCallerAccess(sql, 'partner', strict.clientId, { signing: 'strict' });
  await announceChange(sql);
  const isStrict = () => server.reference().callers.partners.get(strict.clientId)?.isStrict;
  await issue(url, strict);
  await until('it is known', 5000, () => isStrict() === true && receiver.requests.length === 1);
  // Receipts are recorded a moment later.
  await until('it can be sent again', 5000, async () => (await resendEvents(sql, strict.clientId, [1])) === 1);
  await until('it is sent again', 10_000, () => receiver.requests.length === 2);

  const { headers, body, path } = receiver.requests[1] as Received;
  const time = String(headers['x-request-time']);
  assert.ok(Math.abs(Number(time) - Date.now() / 1000) < 60);
  assert.equal(headers['webhook-timestamp'], time);
  assert.equal(path, '/events?for=us');
  const hmac = createHmac('sha256', strict.secret).update(`${time}\n/events?for=us\n${body}`).digest('hex');
  assert.equal(headers['x-request-sign'], hmac);
  assert.ok(new Webhook(strict.secret, { format: 'raw' }).verify(body, headers as Record<string, string>));
});

test('while a secret is replaced, an event is signed with both', async () => {
  const receiver = await startReceiver();
  await setWebhook(sql, rotating, receiver.url);
  const secret = newSecret();
  const masterKey = Buffer.from(env.SECRETS_KEY ?? '', 'base64');
  const { clientId } = rotating;
  await rotateSecret(sql, 'partner', clientId, sealSecret([masterKey], ownerOf('partner', clientId), secret));
  await announceChange(sql);
  await until('both are known', 5000, () => server.reference().callers.partners.get(clientId)?.keys.length === 2);
  await issue(url, rotating);
  await until('one event', 10_000, () => receiver.requests.length === 1);

  const [request] = receiver.requests as [Received];
  assertSigned(request, secret);
  assertSigned(request, rotating.secret, 'x-request-sign-previous');
});

test('hundreds of events all arrive, and once', async () => {
  const receiver = await startReceiver();
  await setWebhook(sql, many, receiver.url);
  await issue(url, many, 700);
  await issue(url, many, 100);
  await until('all events', 20_000, () => receiver.receipts().size === 800);
  await until('all written down', 5000, () => isAllWrittenDown(sql));

  assert.equal(receiver.requests.length, 800);
  const complete = receiver.requests.map(({ event }) => event.sequence).sort((a, b) => a - b);
  assert.deepEqual(
    complete,
    Array.from({ length: 800 }, (_, i) => i + 1),
  );
});

/** Every third event fails, once or twice. */
const failuresOf = (sequence: number) => (sequence % 3 === 0 ? 1 + (sequence % 2) : 0);

test('what has failed is tried again until it is received, and then no more', async () => {
  const receiver = await startReceiver(({ before, event }) => (before < failuresOf(event.sequence) ? 500 : 200));
  await setWebhook(sql, flaky, receiver.url);
  await issue(url, flaky, 300);
  await until('all events', 20_000, () => receiver.receipts().size === 300);
  await until('all written down', 5000, () => isAllWrittenDown(sql));

  assert.equal(repeated(receiver.receipts()), 0);
  const deliveries = await deliveriesOf(sql, flaky);
  assert.equal(deliveries.filter(({ sequence }) => failuresOf(sequence) > 0).length, 100);
  for (const { sequence, ...rest } of deliveries) {
    assert.deepEqual(rest, { state: 'received', attempts: failuresOf(sequence) + 1, outcome: 'answered 200' });
  }
});

test('events are sent again by hand', async () => {
  const receiver = await startReceiver();
  await setWebhook(sql, again, receiver.url);
  await issue(url, again, 5);
  await until('all events', 10_000, () => receiver.receipts().size === 5);
  await until('all written down', 5000, () => isAllWrittenDown(sql));

  assert.equal(await resendEvents(sql, again.clientId, [2, 3, 4, 5, 6, 7, 8, 9]), 4);
  await until('four of them again', 10_000, () => receiver.requests.length === 9);
  await until('all written down', 5000, () => isAllWrittenDown(sql));
  assert.deepEqual([...receiver.receipts()].sort(), [
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 2],
    [5, 2],
  ]);
  const bodies = (sequence: number) => receiver.requests.filter(({ event }) => event.sequence === sequence);
  assert.equal(bodies(3)[0]?.body, bodies(3)[1]?.body);
});

const attempts = (of: string) => metric(of, 'freebets_webhook_attempts_total{result="received"}');

test('one server delivers what all of them commit; one with WORKER=off never does', async () => {
  const receiver = await startReceiver();
  await setWebhook(sql, shared, receiver.url);
  const second = await testServer(settings);
  const idle = await testServer({ ...settings, WORKER: 'off' });
  const before = [await attempts(url), await attempts(second.url)];
  const urls = [url, second.url, idle.url];
  // The one that delivers the first holds on to the webhook for five seconds after the latest.
  for (let count = 1; count <= 9; count++) {
    await issue(urls[count % 3] ?? '', shared);
    await until('the next event', 10_000, () => receiver.receipts().size === count);
  }
  assert.equal(receiver.requests.length, 9);
  const made = [(await attempts(url)) - (before[0] ?? 0), (await attempts(second.url)) - (before[1] ?? 0)];
  assert.deepEqual(made.sort(), [0, 9], 'one server has delivered them all');
  assert.equal(await attempts(idle.url), 0);
});
