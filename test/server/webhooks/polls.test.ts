import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { createSignal } from '../../../packages/server/src/background/signal.ts';
import { type MachinePools, oneMachine } from '../../../packages/server/src/db/machines.ts';
import type { CourierSettings } from '../../../packages/server/src/webhooks/courier.ts';
import { type DeliveryResources, startDelivery } from '../../../packages/server/src/webhooks/delivery.ts';
import { until } from '../../support/waiting.ts';

// Who is asked about, and how often. The database says who has a webhook, and that nobody has anything to be sent.

const withWebhook = new Set([2]);
const asked: { name: string; clientIds: number[] }[] = [];
const pool = {
  async query({ name, values: [, clientIds] }: { name: string; values: [string[], number[]] }) {
    asked.push({ name, clientIds });
    return { rows: name === 'free_webhooks' ? [{ client_ids: clientIds.filter((id) => withWebhook.has(id)) }] : [] };
  },
} as unknown as pg.Pool;
const pools: MachinePools = {
  ...{ machines: () => oneMachine, usual: pool, of: () => pool, isSilent: () => false },
  plainRows: () => 0,
};

const awake = new Set([1, 2]);
const committed = createSignal<[clientId: number]>();
const resources = {
  ...{ pools, committed, awake: () => awake, isDatabaseUp: () => true, signerOf: () => undefined },
  observer: { fault: (error: unknown) => assert.fail(String(error)) },
} as unknown as DeliveryResources;
const { stop } = startDelivery(resources, {} as CourierSettings);
after(stop);

const polls = (kind: 'webhook_work' | 'free_webhooks', from = 0) =>
  asked.slice(from).filter(({ name }) => name === kind);

/** Who is asked whether there is something to send, in so many polls from now on, and how often it was asked who has a webhook meanwhile. */
async function askedAbout(count: number): Promise<{ clientIds: Set<number>; frees: number }> {
  const from = asked.length;
  await until(`${count} polls`, 5000, () => polls('webhook_work', from).length >= count);
  const clientIds = new Set(polls('webhook_work', from).flatMap((poll) => poll.clientIds));
  return { clientIds, frees: polls('free_webhooks', from).length };
}

const nextFree = async () => {
  const known = polls('free_webhooks').length;
  await until('it is asked who has a webhook', 5000, () => polls('free_webhooks').length > known);
};

test('whoever has no webhook is asked for one once a second, and for nothing else', async () => {
  await until('the first poll', 5000, () => polls('webhook_work').length > 0);
  assert.deepEqual((await askedAbout(3)).clientIds, new Set([2]));
});

test('whoever has just begun to do something is asked about at once', async () => {
  // Another time, should the process have stood still until all are asked about again.
  for (let clientId = 3; ; clientId++) {
    await nextFree();
    awake.add(clientId);
    committed.emit(clientId);
    const { clientIds, frees } = await askedAbout(1);
    if (frees > 0) continue;
    assert.deepEqual(clientIds, new Set([2, clientId]));
    break;
  }
});

test('a webhook that is new is found', async () => {
  withWebhook.add(1);
  await nextFree();
  assert.deepEqual((await askedAbout(3)).clientIds, new Set([1, 2]));
});
