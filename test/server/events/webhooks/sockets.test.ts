import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitSockets, type WebhookSockets } from '../../../../packages/server/src/events/webhooks/attempt.ts';
import type { Partner } from '../../../support/caller.ts';
import { end, testCouriers } from '../../../support/couriers.ts';
import { testDatabase } from '../../../support/database.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import { createPartners, issue, metric, setWebhook } from '../../../support/webhooks.ts';

// How the webhooks of a process share its connections.

/** Opens as many connections as there is room for, 128 at most. Returns the functions that close them. */
function fill(webhook: WebhookSockets): (() => void)[] {
  const begun: (() => void)[] = [];
  while (begun.length < 128 && webhook.hasRoom()) begun.push(webhook.begin());
  return begun;
}

test('a webhook alone has all connections', () => {
  assert.equal(fill(limitSockets(4000).join()).length, 128);
  assert.equal(fill(limitSockets(100).join()).length, 100);
});

test('webhooks that take all the connections they can leave 16 for each of the others', () => {
  const sockets = limitSockets(1000);
  const [healthy, idle, ...slow] = Array.from({ length: 22 }, () => sockets.join()) as [
    WebhookSockets,
    WebhookSockets,
    ...WebhookSockets[],
  ];
  const taken = slow.map((webhook) => fill(webhook).length);
  assert.deepEqual([taken[0], Math.min(...taken)], [128, 16]);
  assert.equal(fill(healthy).length, 16);
  assert.equal(fill(idle).length, 16);
  assert.ok(sockets.open() <= 1000, `${sockets.open()}`);
});

test('with more webhooks than shares of 16, each has an equal share, and always one connection', () => {
  const sockets = limitSockets(1000);
  const webhooks = Array.from({ length: 100 }, () => sockets.join());
  const taken = webhooks.map((webhook) => fill(webhook).length);
  assert.ok(Math.min(...taken) >= 5, `${taken}`);
  assert.ok(sockets.open() <= 1000, `${sockets.open()}`);
  const many = limitSockets(16);
  assert.deepEqual(
    Array.from({ length: 40 }, () => many.join()).map((webhook) => fill(webhook).length),
    Array(40).fill(1),
  );
});

test('a webhook that comes last has one connection, and its share as soon as others close theirs', () => {
  const sockets = limitSockets(100);
  const first = sockets.join();
  const begun = fill(first);
  const last = sockets.join();
  assert.equal(fill(last).length, 1);
  assert.equal(sockets.open(), 101);
  for (const close of begun.slice(0, 16)) close();
  assert.equal(first.hasRoom(), false, 'the first does not take them again');
  assert.equal(fill(last).length, 15);
});

test('the connections of a webhook count until they are closed', () => {
  const sockets = limitSockets(16);
  const webhook = sockets.join();
  const [one, ...others] = fill(webhook);
  webhook.leave();
  assert.equal(sockets.open(), 16);
  one?.();
  assert.equal(sockets.join().hasRoom(), true);
  for (const close of others) close();
  assert.equal(sockets.open(), 0);
});

const database = await testDatabase();
const { env, sql } = database;
const slowOnes = 20;
const partners = await createPartners(database, slowOnes + 2);
const server = await testServer({ ...env, WORKER: 'off' });
const { start } = testCouriers(env);

test('one healthy webhook among 20 slow ones receives everything, and connections stay within the limit', async () => {
  const [healthy, , ...slow] = partners as [Partner, Partner, ...Partner[]];
  const limit = 100;
  const sockets = limitSockets(limit);
  const stalling = await startReceiver(() => 'stall');
  const receiving = await startReceiver();
  for (const partner of slow) {
    await setWebhook(sql, partner, stalling.url);
    await issue(server.url, partner, 16);
  }
  await setWebhook(sql, healthy, receiving.url);
  await issue(server.url, healthy, 500);
  // None times out, so that each request that has come is still under way.
  const settings = { timeoutMs: 300_000 };
  const couriers = slow.map((partner) => start(partner, { sockets, settings }).courier);
  // Each slow one has a share by then; the rest is taken.
  await until('the slow ones have begun', 30_000, () => stalling.requests.length >= 2 * slowOnes);
  const { courier } = start(healthy, { sockets });
  await until('the healthy one has all', 30_000, () => receiving.receipts().size === 500);
  assert.ok(stalling.requests.length <= limit, `${stalling.requests.length} under way at slow webhooks`);
  assert.ok(sockets.open() <= limit, `${sockets.open()} connections, ${stalling.requests.length} slow`);
  await Promise.all([...couriers, courier].map(end));
  await until('all are closed', 10_000, () => sockets.open() === 0);
});

test('metrics show the connections to webhooks and their limit', async () => {
  await sql.query('UPDATE webhooks SET off_at = world_now()');
  const partner = partners[1] as Partner;
  const { url } = await testServer({ ...env, WEBHOOK_CONNECTIONS: '20', WEBHOOK_ALLOW_PRIVATE: 'yes' });
  assert.equal(await metric(url, 'freebets_webhook_connections_limit'), 20);
  assert.equal(await metric(server.url, 'freebets_webhook_connections_limit'), 0);
  const stalling = await startReceiver(() => 'stall');
  await setWebhook(sql, partner, stalling.url);
  await issue(url, partner, 40);
  await until('it has begun', 10_000, () => stalling.requests.length === 16);
  assert.equal(await metric(url, 'freebets_webhook_connections'), 16);
});
