import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { resendEvents } from '../../../../packages/server/src/events/webhooks/sql/deliveries.ts';
import type { Partner } from '../../../support/caller.ts';
import { end, testCouriers } from '../../../support/couriers.ts';
import { testDatabase } from '../../../support/database.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import {
  createPartners,
  deliveriesOf,
  isAllWrittenDown,
  issue,
  setWebhook,
  webhookOf,
} from '../../../support/webhooks.ts';

// What a courier sends next, how much at a time, and when it pauses.

const database = await testDatabase();
const { env, sql } = database;
const rest = await createPartners(database, 6);
const { url } = await testServer({ ...env, WORKER: 'off' });
const { start } = testCouriers(env);

async function begin(behave: Receiver['behave'], count: number) {
  const partner = rest.pop() as Partner;
  const receiver = await startReceiver(behave);
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner, count);
  const attempted = (through: number) =>
    until('written down', 10_000, async () => (await webhookOf(sql, partner)).attempted_through === through);
  return { partner, receiver, attempted };
}

test('all due deliveries are sent after one poll, once each', async () => {
  const { partner, receiver } = await begin(() => 204, 700);
  const { courier, poll } = start(partner);
  // One that takes long counts as attempted before it has ended, and is not sent again as long as it is under way.
  await until('all received', 10_000, async () => receiver.receipts().size === 700 && (await isAllWrittenDown(sql)));
  await resendEvents(
    sql,
    partner.clientId,
    Array.from({ length: 700 }, (_, i) => i + 1),
  );
  poll(700);
  await until('all again', 10_000, () => receiver.requests.length >= 1400);
  await until('all written down', 10_000, async () =>
    (await deliveriesOf(sql, partner)).every(({ state }) => state === 'received'),
  );
  await end(courier);
  assert.equal(receiver.requests.length, 1400);
});

test('fresh and due events take turns, also at a failing webhook', async () => {
  const { partner, receiver } = await begin(({ event }) => (event.sequence > 16 ? 'stall' : 500), 16);
  const { courier, poll, counts } = start(partner, { settings: { scheduleMs: Array(9).fill(1), slowMs: 600 } });
  const polling = setInterval(() => poll(16), 50);
  await until('it is slow', 10_000, () => counts.failing === 1 && receiver.requests.length > 16);
  await issue(url, partner);
  clearInterval(polling);
  const before = receiver.requests.length;
  courier.committed();
  await until('the fresh one', 10_000, () => receiver.requests.some(({ event }) => event.sequence === 17));
  assert.ok(receiver.requests.length <= before + 2, `${receiver.requests.length - before} attempts`);
  await end(courier);
});

test('a webhook has one attempt at a time even when no process has time', async () => {
  const { partner, attempted } = await begin(() => 204, 20);
  const { courier } = start(partner, { mayStart: () => false });
  await attempted(20);
  await end(courier);
});

test('a courier without work sleeps until its lease is to be renewed', async () => {
  const { partner, attempted } = await begin(() => 204, 1);
  const { courier, counts } = start(partner);
  await attempted(1);
  await setTimeout(100);
  const { turns } = counts;
  await setTimeout(500);
  assert.ok(counts.turns <= turns + 2, `${counts.turns - turns} turns in half a second`);
  await end(courier);
});

test('receipts one after the other are one run, which is cut where events are sent once more', async () => {
  const { partner, receiver, attempted } = await begin(() => 204, 1);
  const { courier } = start(partner);
  for (let count = 1; count <= 5; count++) {
    courier.committed();
    await attempted(count);
    await issue(url, partner);
  }
  courier.committed();
  await attempted(6);
  await end(courier);
  const runs = async () => {
    const { rows } = await sql.query(
      'SELECT first_sequence::int, last_sequence::int FROM webhook_receipts WHERE client_id = $1',
      [partner.clientId],
    );
    return rows.map(({ first_sequence, last_sequence }) => [first_sequence, last_sequence]);
  };
  assert.deepEqual(await runs(), [[1, 6]]);
  await setWebhook(sql, partner, receiver.url, 4);
  assert.deepEqual(await runs(), [[1, 3]]);
});

test('the time to the first attempt is measured of new events only, and the last attempt is counted', async () => {
  const { partner, receiver } = await begin(() => 500, 2);
  await sql.query(`UPDATE event_batches SET written_at = written_at - interval '1 hour' WHERE client_id = $1`, [
    partner.clientId,
  ]);
  await issue(url, partner);
  const { courier, counts } = start(partner, { settings: { scheduleMs: [] } });
  await until('all failed', 10_000, () => receiver.requests.length === 3 && counts.givenUp === 3);
  assert.equal(counts.firstAttempts, 1);
  await end(courier);
});
