import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Partner } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { times } from '../support/long.ts';
import { refusingUrl, startReceiver } from '../support/receiver.ts';
import { serverProcess } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { createPartners, deliveriesOf, issue, lastSequenceOf, setWebhook, webhookOf } from '../support/webhooks.ts';

// One endpoint that is dead slows no other. Ten healthy ones are measured twice in the same run: alone, and together with one that
// takes connections and never answers, one that refuses them, and one that answers 500, slowly.

const database = await testDatabase();
const { env, sql } = database;
const partners = await createPartners(database, 13);
const healthy = partners.slice(3);
const [swallowing, refusing, failing] = partners as [Partner, Partner, Partner];
const sick = [swallowing, refusing, failing];
const { url } = await serverProcess({
  ...env,
  WEBHOOK_ALLOW_PRIVATE: 'yes',
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRIES_S: Array(50).fill('0.5').join(),
});
const receivers = await Promise.all(healthy.map(() => startReceiver()));
for (const [i, partner] of healthy.entries()) await setWebhook(sql, partner, receivers[i]?.url ?? '');

const blackHole = await startReceiver(() => 'stall');
const slow = await startReceiver(() => setTimeout(700, 500));

const waves = times(25, 35);

/** From the commit to the receipt, for every event of this many waves; the dead endpoint gets events too. */
async function measure(what: string, t: TestContext) {
  const before = receivers.map(({ requests }) => requests.length);
  for (let wave = 0; wave < waves; wave++) {
    const issues = [...healthy.map((partner) => issue(url, partner)), ...sick.map((partner) => issue(url, partner, 5))];
    await Promise.all(issues);
  }
  const news = () => receivers.map(({ requests }, i) => requests.slice(before[i]));
  await until('all events', 20_000, () => news().every((requests) => requests.length >= waves));
  const agesMs = news()
    .flat()
    .map(({ at, event }) => at - Date.parse(event.occurred_at))
    .sort((a, b) => a - b);
  const share = (part: number) => agesMs[Math.floor(agesMs.length * part)] ?? 0;
  const measured = { p50: share(0.5), p95: share(0.95) };
  t.diagnostic(`${what}: ${agesMs.length} events, median ${measured.p50} ms, 95 % within ${measured.p95} ms`);
  return measured;
}

/** Just set, so that they are tried as often as can be. */
async function measureWithDead(t: TestContext) {
  await setWebhook(sql, swallowing, blackHole.url, 1);
  await setWebhook(sql, refusing, refusingUrl, 1);
  await setWebhook(sql, failing, slow.url, 1);
  return measure('with a dead endpoint', t);
}

test('endpoints that are dead slow no other', async (t) => {
  await measure('to warm up', t);
  const alone = await measure('alone', t);
  // A wait for the dead would be of a second, each time. What a busy machine adds is less, and adds to both; or it goes by.
  const isSlower = ({ p50, p95 }: typeof alone) => p50 >= 3 * alone.p50 + 50 || p95 >= 3 * alone.p95 + 250;
  let withDead = await measureWithDead(t);
  for (let again = 0; again < 2 && isSlower(withDead); again++) withDead = await measureWithDead(t);
  await until('the dead are tried', 10_000, async () => {
    const refused = await deliveriesOf(sql, refusing);
    return blackHole.requests.length >= 16 && slow.requests.length >= 16 && refused.length >= 16;
  });

  assert.ok(!isSlower(withDead), `${JSON.stringify(alone)} alone, ${JSON.stringify(withDead)} with a dead endpoint`);
  for (const partner of sick) assert.equal((await webhookOf(sql, partner)).is_on, true);
});

test('what the dead have missed arrives when they are back', async (t) => {
  blackHole.behave = slow.behave = () => 204;
  for (const [partner, receiver] of [
    [swallowing, blackHole],
    [failing, slow],
  ] as const) {
    const missed = await lastSequenceOf(sql, partner);
    const tookMs = await until('everything arrived', 30_000, () => receiver.receipts().size === missed);
    t.diagnostic(`${missed} events in ${Math.round(tookMs)} ms`);
  }
});
