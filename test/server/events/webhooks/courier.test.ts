import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { courierTimes } from '../../../../packages/server/src/events/webhooks/courier.ts';
import type { Partner } from '../../../support/caller.ts';
import { end, testCouriers } from '../../../support/couriers.ts';
import { testDatabase } from '../../../support/database.ts';
import { type Reply, startReceiver } from '../../../support/receiver.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import { createPartners, deliveriesOf, issue, setWebhook, webhookOf } from '../../../support/webhooks.ts';

// A single courier whose writes fail at the worst moments.

const database = await testDatabase();
const { env, sql } = database;
const partners = await createPartners(database, 8);
const { url } = await testServer({ ...env, WORKER: 'off' });
const { start, breakable } = testCouriers(env);

test('recorded events are not sent again if only the response of the database was lost', async () => {
  const [partner] = partners as [Partner];
  const receiver = await startReceiver();
  const { state, pool } = breakable();
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner, 5);
  state.breaks = 'after';
  const { courier, faults } = start(partner, { pool });
  await until('the connection broke', 10_000, () => state.broken > 0);
  state.breaks = 'never';
  await issue(url, partner, 5);
  courier.committed();
  await until('all written down', 10_000, async () => (await webhookOf(sql, partner)).attempted_through === 10);
  await end(courier);
  assert.deepEqual(faults, []);
  assert.equal(receiver.requests.length, 10);
});

test('an attempt is not made again because the failure before it had to be written down twice', async () => {
  const partner = partners[4] as Partner;
  const receiver = await startReceiver(({ before }) => (before === 0 ? 500 : 204));
  const { state, pool } = breakable();
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner);
  state.breaks = 'after';
  const { courier, poll } = start(partner, { pool, settings: { scheduleMs: [1, 1, 1] } });
  const pollUntil = (what: string, isSo: () => boolean | Promise<boolean>) =>
    until(what, 10_000, () => {
      poll(1);
      return isSo();
    });
  await pollUntil('tried again', () => receiver.requests.length === 2);
  state.breaks = 'never';
  await pollUntil('received', async () => (await deliveriesOf(sql, partner))[0].state === 'received');
  await end(courier);
  assert.equal(receiver.requests.length, 2);
});

test('what could not be written down at the end is not passed over', async () => {
  const [, partner] = partners as [Partner, Partner];
  const held = [Promise.withResolvers<Reply>(), Promise.withResolvers<Reply>()];
  const receiver = await startReceiver(({ event }) => held[event.sequence - 1]?.promise ?? 500);
  const { state, pool } = breakable();
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner, 2);
  const { courier } = start(partner, { pool });
  await until('both under way', 10_000, () => receiver.requests.length === 2);
  state.breaks = 'before';
  held[0]?.resolve(500);
  await until('the failure could not be written down', 10_000, () => state.broken > 0);
  courier.stop();
  const { broken } = state;
  await until('nor when it was to end', 10_000, () => state.broken > broken);
  state.breaks = 'never';
  held[1]?.resolve(204);
  await courier.ended;

  receiver.behave = () => 204;
  await sql.query('UPDATE webhooks SET leased_until = now()');
  const next = start(partner);
  await until('both received', 10_000, () => receiver.receipts().size === 2);
  await end(next.courier);
});

test('a courier follows its partner to another machine', async () => {
  const partner = partners.at(-1) as Partner;
  const receiver = await startReceiver();
  const gone = breakable();
  const there = breakable();
  let isMoved = false;
  const isWrittenDown = async (through: number) => (await webhookOf(sql, partner)).attempted_through === through;
  await setWebhook(sql, partner, receiver.url);
  const { courier, faults, poll } = start(partner, { pool: () => (isMoved ? there : gone).pool });
  await issue(url, partner, 1);
  poll(1);
  await until('the first is sent', 10_000, () => isWrittenDown(1));
  gone.state.breaks = 'always';
  isMoved = true;
  await issue(url, partner, 1);
  poll(2);
  await until('the second is sent', 10_000, () => isWrittenDown(2));
  await end(courier);
  assert.equal(receiver.receipts().size, 2);
  assert.deepEqual([gone.state.broken, faults], [0, []]);
});

test('while an attempt takes long, it is set aside, and the courier rests', async () => {
  const [, , partner] = partners as [Partner, Partner, Partner];
  const held = Promise.withResolvers<Reply>();
  const receiver = await startReceiver(({ event }) => (event.sequence === 1 ? held.promise : 204));
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner, 3);
  const { courier, counts } = start(partner);
  const isSetAside = async () => (await webhookOf(sql, partner)).attempted_through === 3;
  const waitedMs = await until('the others are written down', 10_000, isSetAside);
  const aside = { sequence: 1, state: 'waiting', attempts: 0, outcome: 'under way' };
  assert.deepEqual(await deliveriesOf(sql, partner), [aside]);
  assert.ok(counts.turns < 20 + waitedMs / 10, `${counts.turns} turns in ${Math.round(waitedMs)} ms`);

  held.resolve(202);
  const received = { ...aside, state: 'received', attempts: 1, outcome: 'answered 202' };
  await until('received', 10_000, async () => (await deliveriesOf(sql, partner))[0].state === 'received');
  assert.deepEqual(await deliveriesOf(sql, partner), [received]);
  await end(courier);
});

test('a webhook that fails is tried slowly, takes no time from others, and comes back at once', async () => {
  const [, , , partner] = partners as [Partner, Partner, Partner, Partner];
  const receiver = await startReceiver(() => 500);
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner, 200);
  const slowMs = 400;
  assert.equal(courierTimes.slowMs, 1000, 'in service it is one attempt a second');
  const { courier, counts } = start(partner, { settings: { slowMs } });
  await until('it is failing', 10_000, () => counts.failing > 0);
  const began = counts.tokensWhenFailing;
  // Sixteen at once, and the ones that replaced the first seven.
  assert.equal(began, 16 + 7);
  await until('an attempt after that', 10_000, () => counts.tokens > began);
  const { tokens } = counts;
  const since = performance.now();
  await until('two more', 10_000, () => counts.tokens >= tokens + 2);
  const tookMs = performance.now() - since;
  assert.ok(tookMs > slowMs, `${Math.round(tookMs)} ms for two attempts`);
  const attempts = receiver.requests.length;
  assert.ok(counts.tokens <= attempts + 1, `its turn was taken ${counts.tokens} times for ${attempts} attempts`);

  receiver.behave = () => 204;
  const wanted = 200 - receiver.requests.length;
  await until('the rest is received', 10_000, () => receiver.receipts().size >= wanted);
  await end(courier);
  assert.deepEqual([counts.failing, counts.worksAgain], [1, 1], 'both are reported once');
});

test('a courier that is stopped writes down what it has done, and leaves the rest to the next at once', async () => {
  const partner = partners[5] as Partner;
  const receiver = await startReceiver(() => setTimeout(5, 204));
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner, 500);
  const first = start(partner);
  await until('it is in the middle of it', 10_000, () => receiver.requests.length > 50);
  await end(first.courier);
  const { lease_holder, attempted_through } = await webhookOf(sql, partner);
  assert.equal(lease_holder, null);
  assert.equal(attempted_through, receiver.requests.length);
  assert.ok(attempted_through < 500, 'there is a rest');
  const second = start(partner);
  await until('all events', 10_000, () => receiver.receipts().size === 500);
  await end(second.courier);
  assert.equal(receiver.requests.length, 500);
});

test('a courier that was frozen until its lease was taken over writes nothing more, and ends', async () => {
  const partner = partners[6] as Partner;
  const held = Promise.withResolvers<Reply>();
  const receiver = await startReceiver(({ before }) => (before === 0 ? held.promise : 204));
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner);
  const frozen = start(partner);
  await until('it is under way', 10_000, () => receiver.requests.length === 1);
  await sql.query('UPDATE webhooks SET leased_until = now()');
  const next = start(partner);
  await until('received by the next', 10_000, async () => (await webhookOf(sql, partner)).attempted_through === 1);
  held.resolve(500);
  await frozen.courier.ended;
  await end(next.courier);
  assert.deepEqual(await deliveriesOf(sql, partner), []);
  assert.equal((await webhookOf(sql, partner)).failing_since, null);
});
