import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resendEvents } from '../../../../packages/server/src/events/webhooks/sql/deliveries.ts';
import type { Partner } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { type Receiver, type Reply, startReceiver } from '../../../support/receiver.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import {
  createPartners,
  deliveriesOf,
  issue,
  metric,
  setWebhook,
  startWatchman,
  webhookOf,
} from '../../../support/webhooks.ts';

// When a delivery is retried, and when it fails for good. The clock of the service moves only when a test moves it.

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
const days = 24 * hours;
const retries = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
];

const database = await testDatabase();
const { env, sql } = database;
const [watched, ...rest] = (await createPartners(database, 8)) as [Partner, ...Partner[]];
const { url } = await testServer({ ...env, WEBHOOK_ALLOW_PRIVATE: 'yes' });
let now = new Date().toISOString();
await setClock(sql, now);
const polled = await startWatchman(sql, url, watched);

async function moveClock(ms: number): Promise<void> {
  now = later(now, ms);
  await setClock(sql, now);
}

/** The webhook of a partner of its own, with one event on its way. */
async function begin(behave: Receiver['behave']) {
  const partner = rest.pop() as Partner;
  const receiver = await startReceiver(behave);
  await setWebhook(sql, partner, receiver.url);
  await issue(url, partner);
  const attempted = (times: number) =>
    until(`attempt ${times}`, 10_000, async () => {
      const [delivery] = await deliveriesOf(sql, partner);
      return receiver.requests.length === times && (delivery?.attempts === times || delivery?.state === 'received');
    });
  return { partner, receiver, attempted };
}

/** Nothing comes a millisecond before it is time, and one attempt when it is, with a tenth for the jitter. */
async function assertNextAfter(ms: number, { receiver, attempted }: Awaited<ReturnType<typeof begin>>, jitter = 0.1) {
  const before = receiver.requests.length;
  await moveClock(ms - 1);
  await polled();
  assert.equal(receiver.requests.length, before, `attempt ${before + 1} came before its time`);
  await moveClock(1 + ms * jitter);
  await attempted(before + 1);
}

test('a failed event is tried again nine times, each at its time, then rests, and can be sent again', async () => {
  const replies: Reply[] = [500, 404, 'drop', 302];
  const failing = await begin(({ before }) => replies[before % replies.length] as Reply);
  const { partner, receiver, attempted } = failing;
  await attempted(1);
  for (const ms of retries) await assertNextAfter(ms, failing);
  const [delivery] = await deliveriesOf(sql, partner);
  assert.deepEqual(delivery, { sequence: 1, state: 'failed', attempts: 10, outcome: 'answered 404' });

  await moveClock(1 * days);
  await polled();
  assert.equal(receiver.requests.length, 10, 'it was given up');
  receiver.behave = () => 204;
  assert.equal(await resendEvents(sql, partner.clientId, [1]), 1);
  await until('received', 10_000, async () => (await deliveriesOf(sql, partner))[0]?.state === 'received');
  assert.equal(receiver.requests.length, 11);
  assert.equal((await webhookOf(sql, partner)).failing_since, null);
});

test('no attempt is made earlier than Retry-After says, nor earlier than the schedule', async () => {
  const waits = ['60', '1', 'soon'];
  const failing = await begin(({ before }) => ({ status: 503, headers: { 'retry-after': waits[before] ?? '' } }));
  await failing.attempted(1);
  await assertNextAfter(60 * seconds, failing, 0);
  await assertNextAfter(5 * minutes, failing);
  await assertNextAfter(30 * minutes, failing);
});

test('a redirect is a failure, and not followed', async () => {
  const elsewhere = await startReceiver();
  const redirect = { status: 307, headers: { location: elsewhere.url } };
  const { partner, attempted } = await begin(() => redirect);
  await attempted(1);
  const [delivery] = await deliveriesOf(sql, partner);
  assert.deepEqual([delivery.state, delivery.outcome], ['waiting', 'answered 307 (a redirect is not followed)']);
  assert.equal(elsewhere.requests.length, 0);
});

test('410 turns a webhook off; set again, it goes on where it had stopped', async () => {
  const { partner, receiver } = await begin(() => 410);
  await until('it is off', 10_000, async () => !(await webhookOf(sql, partner)).is_on);
  assert.equal((await webhookOf(sql, partner)).off_reason, 'it answered 410');
  await issue(url, partner, 3);
  await moveClock(1 * hours);
  await polled();
  assert.equal(receiver.requests.length, 1);

  receiver.behave = () => 204;
  await setWebhook(sql, partner, receiver.url);
  await until('all four', 10_000, () => receiver.receipts().size === 4);
  await polled();
  assert.equal(receiver.requests.length, 5);
});

test('a webhook that has failed for five days is turned off', async () => {
  const { partner, receiver, attempted } = await begin(() => 500);
  await attempted(1);
  await moveClock(5 * days - 1);
  await attempted(2);
  assert.equal((await webhookOf(sql, partner)).is_on, true);
  await issue(url, partner);
  await until('the new event failed', 10_000, async () => (await deliveriesOf(sql, partner)).length === 2);
  assert.equal((await webhookOf(sql, partner)).is_on, true);
  await moveClock(5 * minutes * 1.1);
  await until('it is off', 10_000, async () => !(await webhookOf(sql, partner)).is_on);
  assert.equal((await webhookOf(sql, partner)).off_reason, 'it has failed for 5 days');

  receiver.behave = () => 204;
  await setWebhook(sql, partner, receiver.url);
  await until('both events', 10_000, () => receiver.receipts().size === 2);
});

test('a receipt in between restarts the five days', async () => {
  const { partner, receiver, attempted } = await begin(({ before }) => (before === 0 ? 500 : 204));
  await attempted(1);
  await moveClock(4.9 * days);
  await attempted(2);
  receiver.behave = () => 500;
  await issue(url, partner);
  const failedTimes = (times: number) =>
    until(`failed ${times} times`, 10_000, async () => (await deliveriesOf(sql, partner))[1]?.attempts === times);
  await failedTimes(1);
  await moveClock(4.9 * days);
  await failedTimes(2);
  const { is_on, failing_since } = await webhookOf(sql, partner);
  assert.equal(is_on, true);
  assert.ok(failing_since > new Date(later(now, -5 * days)));
});

test('the metrics show waiting events, their age, and attempts', async () => {
  const names = [
    'freebets_webhook_attempts_total{result="failed"}',
    'freebets_webhook_first_attempt_seconds_count',
    'freebets_webhook_first_attempt_seconds_bucket{le="10"}',
  ];
  const counts = () => Promise.all(names.map((name) => metric(url, name)));
  const before = await counts();
  const { partner, attempted } = await begin(() => 500);
  await attempted(1);
  assert.deepEqual(
    await counts(),
    before.map((count) => count + 1),
  );
  assert.equal(await metric(url, 'freebets_webhook_attempts_total{result="gone"}'), 1);

  await sql.query('UPDATE webhooks SET off_at = world_now() WHERE client_id <> $1', [partner.clientId]);
  await moveClock(3 * seconds);
  await until('one event of three seconds waits', 5000, async () => {
    const gauges = ['freebets_webhook_waiting', 'freebets_webhook_oldest_waiting_seconds'];
    return (await Promise.all(gauges.map((name) => metric(url, name)))).join() === '1,3';
  });
});
