import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CourierSettings } from '../../../../packages/server/src/events/webhooks/courier.ts';
import { resendEvents } from '../../../../packages/server/src/events/webhooks/sql/deliveries.ts';
import type { Partner } from '../../../support/caller.ts';
import { end, shortLease, testCouriers } from '../../../support/couriers.ts';
import { testDatabase } from '../../../support/database.ts';
import { type Reply, startReceiver } from '../../../support/receiver.ts';
import { testServer } from '../../../support/server.ts';
import { stopwatch, until } from '../../../support/waiting.ts';
import { createPartners, deliveriesOf, issue, setWebhook, webhookOf } from '../../../support/webhooks.ts';

// What a courier may write and send while others use its webhook: a standby that took over, the next courier, an
// operator, and a partner who turns the webhook off.

const database = await testDatabase();
const { env, sql } = database;
const rest = await createPartners(database, 14);
const { url } = await testServer({ ...env, WORKER: 'off' });
const { start, breakable } = testCouriers(env);

async function begin(behave: () => Reply | Promise<Reply>, count: number) {
  const partner = rest.pop() as Partner;
  const receiver = await startReceiver(behave);
  await setWebhook(sql, partner, receiver.url);
  if (count > 0) await issue(url, partner, count);
  const attempted = (through: number) =>
    until('written down', 10_000, async () => (await webhookOf(sql, partner)).attempted_through === through);
  return { partner, receiver, attempted };
}

/** Ten events were delivered, of which the database that took over has five. */
async function failOver(settings: Partial<CourierSettings> = {}) {
  const { partner, receiver, attempted } = await begin(() => 204, 5);
  const first = start(partner, { settings });
  await attempted(5);
  await issue(url, partner, 5);
  first.courier.committed();
  await attempted(10);
  const { clientId } = partner;
  await sql.query('DELETE FROM event_batches WHERE client_id = $1 AND first_sequence > 5', [clientId]);
  await sql.query('DELETE FROM webhook_receipts WHERE client_id = $1 AND first_sequence > 5', [clientId]);
  await sql.query('UPDATE webhook_receipts SET last_sequence = 5 WHERE client_id = $1', [clientId]);
  await sql.query('UPDATE event_heads SET last_sequence = 5 WHERE client_id = $1', [clientId]);
  await sql.query('UPDATE webhooks SET attempted_through = 5 WHERE client_id = $1', [clientId]);
  return { partner, receiver, attempted, first };
}

test('a courier that has sent lost events ends when a poll shows the loss, and their numbers are sent again', async () => {
  const { partner, receiver, attempted, first } = await failOver();
  const tookMs = stopwatch();
  first.poll(5);
  await first.courier.ended;
  assert.ok(tookMs() < 1000, `at once, and it took ${tookMs()} ms`);
  await issue(url, partner, 3);
  const next = start(partner);
  await attempted(8);
  await end(next.courier);
  assert.equal(receiver.requests.length, 13);
});

test('nor does it write its number over that of a database which took over, before any poll', async () => {
  const { partner, receiver, attempted, first } = await failOver({ lease: shortLease });
  await issue(url, partner, 3);
  await first.courier.ended;
  assert.equal((await webhookOf(sql, partner)).attempted_through, 5);
  const next = start(partner);
  await attempted(8);
  await end(next.courier);
  assert.equal(receiver.requests.length, 13);
});

test('a poll that began before the latest read proves nothing', async () => {
  const { partner, attempted } = await begin(() => 204, 0);
  const { courier, counts } = start(partner);
  await until('it has the lease', 10_000, () => counts.turns > 0);
  const polledAt = performance.now();
  await issue(url, partner, 5);
  courier.committed();
  await attempted(5);
  courier.polled(polledAt, { last_sequence: 0, has_due: false });
  await issue(url, partner);
  courier.committed();
  await attempted(6);
  await end(courier);
});

test('a courier that cannot write down what it sends soon sends no more', async () => {
  const answerMs = 200;
  const { partner, receiver } = await begin(() => setTimeout(answerMs, 204), 900);
  const { state, pool } = breakable();
  const { courier } = start(partner, { pool, settings: { lease: shortLease } });
  await until('attempts under way', 10_000, () => receiver.requests.length > 0);
  state.breaks = 'always';
  let before = 0;
  await until('it rests', 10_000, async () => {
    before = receiver.requests.length;
    await setTimeout(2 * answerMs);
    return receiver.requests.length === before;
  });
  assert.ok(before < 500, `${before} sent`);
  state.breaks = 'never';
  await until('it goes on', 10_000, () => receiver.requests.length > before);
  await end(courier);
});

test('a courier that has ended writes nothing more', async () => {
  const { partner, receiver } = await begin(() => 204, 20);
  const { state, pool } = breakable();
  state.breaks = 'before';
  const { courier } = start(partner, { pool });
  await until('it tries to write', 10_000, () => state.broken > 0);
  await setWebhook(sql, partner, receiver.url, 5);
  courier.polled(performance.now(), undefined);
  await courier.ended;
  const { broken } = state;
  state.breaks = 'never';
  const next = start(partner, { mayStart: () => false });
  await until('the next has sent all', 10_000, () => receiver.requests.length === 36);
  await end(next.courier);
  assert.equal(state.broken, broken);
});

test('a write that lost a race is done again', async () => {
  const { partner, attempted, receiver } = await begin(() => 204, 3);
  const { state, pool } = breakable();
  Object.assign(state, { breaks: 'before', code: '40P01' });
  const { courier, faults } = start(partner, { pool });
  await until('it tries to write', 10_000, () => state.broken > 0);
  state.breaks = 'never';
  await attempted(3);
  await end(courier);
  assert.deepEqual(faults, []);
  assert.equal(receiver.requests.length, 3);
});

test('an event resent manually during an attempt is sent again', async () => {
  const held = Promise.withResolvers<Reply>();
  const { partner, receiver } = await begin(() => 500, 1);
  receiver.behave = ({ before }) => [500, held.promise][before] ?? 204;
  const { courier, poll } = start(partner, { settings: { scheduleMs: [1] } });
  const pollUntil = (what: string, isSo: () => boolean | Promise<boolean>) =>
    until(what, 10_000, () => {
      poll(1);
      return isSo();
    });
  await pollUntil('the last attempt is under way', () => receiver.requests.length === 2);
  assert.equal(await resendEvents(sql, partner.clientId, [1]), 1);
  held.resolve(500);
  await pollUntil('received', async () => (await deliveriesOf(sql, partner))[0].state === 'received');
  await end(courier);
  assert.equal(receiver.requests.length, 3);
});

test('a courier that is stopped before it has its lease sends nothing, and gives it back', async () => {
  const { partner, receiver } = await begin(() => 204, 5);
  const { courier, counts } = start(partner);
  courier.stop();
  await courier.ended;
  const { lease_holder, attempted_through } = await webhookOf(sql, partner);
  assert.deepEqual([lease_holder, attempted_through, receiver.requests.length], [null, 0, 0]);
  assert.equal(counts.turns, 0);
  courier.stop();
  courier.committed();
  courier.polled(performance.now(), undefined);
});

test('a fault ends a courier, is reported, and leaves the lease to the next', async () => {
  const { partner, attempted } = await begin(() => 500, 3);
  const { state, pool } = breakable();
  Object.assign(state, { breaks: 'before', code: '42703' });
  const { courier, faults } = start(partner, { pool });
  await until('the lease is given back', 10_000, async () => {
    return faults.length > 0 && (await webhookOf(sql, partner)).lease_holder === null;
  });
  assert.equal(state.broken, 1, 'nothing is written after that');
  assert.equal((await webhookOf(sql, partner)).attempted_through, 0);
  const next = start(partner);
  await attempted(3);
  await end(next.courier);
  await courier.ended;
  assert.equal(faults.length, 1);
});

test('an attempt that the courier aborts itself is no failure', async () => {
  const { partner, receiver } = await begin(() => 'stall', 12);
  const { courier, results, counts } = start(partner);
  await until('under way', 10_000, () => receiver.requests.length === 12);
  courier.polled(performance.now(), undefined);
  await courier.ended;
  assert.deepEqual([results, counts.failing], [[], 0]);
});

test('after a 410 no attempt is begun', async () => {
  const held = Promise.withResolvers<Reply>();
  const { partner, receiver } = await begin(() => 'stall', 300);
  receiver.behave = ({ event }) => (event.sequence === 1 ? held.promise : 'stall');
  const { state, pool } = breakable();
  const { courier } = start(partner, { pool });
  await until('under way', 10_000, () => receiver.requests.length === 16);
  state.breaks = 'before';
  held.resolve(410);
  await until('it tries to write', 10_000, () => state.broken > 2);
  assert.equal(receiver.requests.length, 16);
  state.breaks = 'never';
  await courier.ended;
  assert.equal((await webhookOf(sql, partner)).off_reason, 'it answered 410');
});

test('a 410 that comes while a courier is stopped turns the webhook off', async () => {
  const held = Promise.withResolvers<Reply>();
  const { partner, receiver } = await begin(() => held.promise, 1);
  const { courier, counts } = start(partner);
  await until('under way', 10_000, () => receiver.requests.length === 1);
  courier.stop();
  held.resolve(410);
  await courier.ended;
  const { off_reason, lease_holder } = await webhookOf(sql, partner);
  assert.deepEqual([off_reason, lease_holder, counts.turnedOff], ['it answered 410', null, 1]);
});
