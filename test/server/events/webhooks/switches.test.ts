import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnWebhookOff } from '../../../../packages/server/src/events/webhooks/sql/courier.ts';
import { setCallerDisabled } from '../../../../packages/server/src/partners/callers/sql/secrets.ts';
import { announceChange } from '../../../../packages/server/src/partners/reference/sql.ts';
import { call, demo, type Partner } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { type Receiver, type Reply, repeated, startReceiver } from '../../../support/receiver.ts';
import { setSecret } from '../../../support/secrets.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import {
  createPartners,
  isAllWrittenDown,
  issue,
  setWebhook,
  startWatchman,
  webhookOf,
} from '../../../support/webhooks.ts';

// Webhooks and partners that are turned off, turned on or moved while their events are in progress.

const database = await testDatabase();
const { env, sql } = database;
type Four = [Partner, Partner, Partner, Partner];
const [watched, switched, moved, disabled] = (await createPartners(database, 4)) as Four;
const server = await testServer({ ...env, WEBHOOK_ALLOW_PRIVATE: 'yes' });
const { url } = server;
const polled = await startWatchman(sql, url, watched);

const events = 300;

/** A receiver that responds on demand, with this many deliveries in flight. */
async function beginHeld(partner: Partner): Promise<{ receiver: Receiver; release(reply: Reply): void }> {
  const { promise, resolve: release } = Promise.withResolvers<Reply>();
  const receiver = await startReceiver(() => promise);
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner, events);
  await until('attempts under way', 10_000, () => receiver.requests.length === 16);
  return { receiver, release };
}

test('turned off in the middle of it, a webhook gets no more; set again, it gets the rest', async () => {
  const { receiver, release } = await beginHeld(switched);
  assert.equal(await turnWebhookOff(sql, switched.clientId, 'by hand'), true);
  receiver.behave = () => 'stall';
  release(204);
  await until('no more attempts', 10_000, async () => {
    const before = receiver.requests.length;
    await polled();
    return receiver.requests.length === before;
  });
  assert.ok(receiver.requests.length < 128, `${receiver.requests.length} attempts`);
  const { off_reason, lease_holder } = await webhookOf(sql, switched);
  assert.deepEqual({ off_reason, lease_holder }, { off_reason: 'by hand', lease_holder: null });

  receiver.behave = () => 204;
  await setWebhook(sql, switched, receiver.url);
  await until('all events', 10_000, () => receiver.receipts().size === events);
});

test('set to another URL in the middle of it, a webhook gets there what the old one has not received', async () => {
  const { receiver, release } = await beginHeld(moved);
  const elsewhere = await startReceiver();
  await setWebhook(sql, moved, elsewhere.url);
  await until('all events', 10_000, () => elsewhere.receipts().size === events);
  release(204);
  await issue(url, moved);
  await until('one more', 10_000, () => elsewhere.receipts().size === events + 1);
  assert.equal(receiver.requests.length, 16);
  await until('all written down', 5000, () => isAllWrittenDown(sql));
});

async function disable(partner: Partner, isDisabled: boolean): Promise<void> {
  await setCallerDisabled(sql, 'partner', partner.clientId, isDisabled);
  await announceChange(sql);
  const isKnown = () => server.reference().callers.partners.has(partner.clientId);
  await until('the server knows', 5000, () => isKnown() !== isDisabled);
}

test('a disabled partner gets nothing, and everything once it is enabled', async () => {
  const { receiver, release } = await beginHeld(disabled);
  await disable(disabled, true);
  release(204);
  await until('the lease is given back', 10_000, async () => (await webhookOf(sql, disabled)).lease_holder === null);
  const before = receiver.requests.length;
  await polled();
  assert.equal(receiver.requests.length, before);
  assert.ok(before < events);

  await disable(disabled, false);
  await until('all events', 10_000, () => receiver.receipts().size === events);
  await until('all written down', 5000, () => isAllWrittenDown(sql));
  assert.equal(repeated(receiver.receipts()), 0, 'what it had received before is not sent again');
});

test("a partner whose secret can't be opened gets nothing, and affects no other partner", async () => {
  const receiver = await startReceiver();
  await issue(url, demo);
  await setSecret(sql, { SECRETS_KEY: Buffer.alloc(32, 8).toString('base64') }, demo.clientId, demo.secret);
  await announceChange(sql);
  const keys = () => server.reference().callers.partners.get(demo.clientId)?.keys;
  await until('the server knows', 5000, () => keys()?.length === 0);
  await setWebhook(sql, demo, receiver.url, 1);
  await polled();
  assert.equal(receiver.requests.length, 0);
  assert.equal((await call(url, 'EventsList', {}, watched)).status, 200);
});
