import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { type NodePools, type Nodes, singleNode } from '../../../../packages/server/src/engine/connection.ts';
import type { CourierSettings } from '../../../../packages/server/src/events/webhooks/courier.ts';
import { type DeliveryResources, startDelivery } from '../../../../packages/server/src/events/webhooks/work.ts';
import { createSignal } from '../../../../packages/server/src/primitives/signal.ts';
import { until } from '../../../support/waiting.ts';

// Which partners are polled, and how often. The database reports who has a webhook, and that there is nothing to send.

const withWebhook = new Set([2]);
const asked: { name: string; clientIds: number[]; at: number }[] = [];
const pool = {
  async query({ name, values: [, clientIds] }: { name: string; values: [string[], number[]] }) {
    asked.push({ name, clientIds, at: performance.now() });
    return { rows: name === 'free_webhooks' ? [{ client_ids: clientIds.filter((id) => withWebhook.has(id)) }] : [] };
  },
} as unknown as pg.Pool;
/** Many, to begin with. */
let nodes: Nodes = { ...singleNode };
const pools: NodePools = {
  ...{ nodes: () => nodes, usual: pool, of: () => pool, isUnresponsive: () => false },
};

const active = new Set([1, 2]);
const committed = createSignal<[clientId: number]>();
const resources = {
  ...{ pools, committed, active: () => active, isDatabaseUp: () => true, signerOf: () => undefined },
  observer: { fault: (error: unknown) => assert.fail(String(error)) },
} as unknown as DeliveryResources;
const { stop } = startDelivery(resources, {} as CourierSettings);
after(stop);

type Kind = 'webhook_work' | 'free_webhooks';
const polls = (kind: Kind, from = 0) => asked.slice(from).filter(({ name }) => name === kind);

/**
 * Counts, during this many polls, which partners are polled for work, and how often the poll for free webhooks runs.
 */
async function askedAbout(count: number): Promise<{ clientIds: Set<number>; frees: number }> {
  const from = asked.length;
  await until(`${count} polls`, 5000, () => polls('webhook_work', from).length >= count);
  const clientIds = new Set(polls('webhook_work', from).flatMap((poll) => poll.clientIds));
  return { clientIds, frees: polls('free_webhooks', from).length };
}

const next = async (kind: Kind): Promise<number> => {
  const known = polls(kind).length;
  await until(`a poll of ${kind}`, 5000, () => polls(kind).length > known);
  return polls(kind).at(-1)?.at as number;
};

test('on many nodes a partner without a webhook is polled for one once a second, and for nothing else', async () => {
  const first = await next('free_webhooks');
  assert.deepEqual((await askedAbout(3)).clientIds, new Set([2]));
  const second = await next('free_webhooks');
  assert(second - first > 900, `after ${second - first} ms`);
});

test('a partner that has just become active is polled at once', async () => {
  const tries = 20;
  // Another time, should the process have stood still meanwhile.
  for (let clientId = 3; clientId < 3 + tries; clientId++) {
    await next('free_webhooks');
    const began = await next('webhook_work');
    active.add(clientId);
    committed.emit(clientId);
    const { clientIds, frees } = await askedAbout(1);
    const tookMs = (polls('webhook_work').at(-1)?.at as number) - began;
    if (frees > 0 || tookMs > 80) continue;
    assert.deepEqual(clientIds, new Set([2, clientId]));
    return;
  }
  assert.fail(`not within 80 ms in any of ${tries} tries: every 100 ms it is asked anyway`);
});

test('a webhook that is new is found', async () => {
  withWebhook.add(1);
  await next('free_webhooks');
  assert.deepEqual((await askedAbout(3)).clientIds, new Set([1, 2]));
});

test('on one node it is asked for five times as often', async () => {
  nodes = singleNode;
  const tries = 20;
  let before = await next('free_webhooks');
  // Another time, should the process have stood still meanwhile.
  for (let i = 0; i < tries; i++) {
    const now = await next('free_webhooks');
    const afterMs = now - before;
    assert(afterMs > 150, `after ${afterMs} ms`);
    if (afterMs < 400) return;
    before = now;
  }
  assert.fail(`not within 400 ms in any of ${tries} tries`);
});
