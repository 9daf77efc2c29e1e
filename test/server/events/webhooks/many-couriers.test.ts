import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { type NodePools, singleNode } from '../../../../packages/server/src/engine/connection.ts';
import type { CourierSettings } from '../../../../packages/server/src/events/webhooks/courier.ts';
import { type DeliveryResources, startDelivery } from '../../../../packages/server/src/events/webhooks/work.ts';
import { createSignal } from '../../../../packages/server/src/primitives/signal.ts';
import { until } from '../../../support/waiting.ts';

// The cost of a poll with thousands of couriers. The database grants the leases only at the end.

interface Asked {
  name: string;
  values: [string[], number[]];
}

/** Counts calls until the returned function is called. */
function countSearchesOf(of: unknown[]): () => number {
  const really = of.includes;
  let calls = 0;
  of.includes = function (this: unknown[], ...given: Parameters<typeof really>) {
    calls++;
    return really.apply(this, given);
  };
  return () => {
    of.includes = really;
    return calls;
  };
}

/** How many arrays each poll of all webhooks searches, with `count` couriers. */
async function searchesWith(count: number): Promise<number> {
  const clientIds = new Set(Array.from({ length: count }, (_, i) => i + 1));
  const ending = Promise.withResolvers<{ rows: [] }>();
  let polls = 0;
  const pool = {
    async query({ name, values: [, some] }: Asked) {
      if (name === 'free_webhooks') return { rows: [{ client_ids: some }] };
      if (name !== 'webhook_work') return ending.promise;
      if (some.includes(1)) polls++;
      return { rows: some.map((client_id) => ({ client_id, is_held: false, has_new: true, has_due: false })) };
    },
  } as unknown as pg.Pool;
  const pools: NodePools = {
    ...{ nodes: () => singleNode, usual: pool, of: () => pool, isUnresponsive: () => false },
  };
  const resources = {
    ...{ pools, committed: createSignal<[number]>(), active: () => clientIds, isDatabaseUp: () => true },
    signerOf: () => ({ keys: [{}] }),
    observer: { fault: assert.ifError },
  } as unknown as DeliveryResources;
  const lease = { lastsMs: 10_000, renewMs: 3000, doubtMs: 4000 };
  const { stop } = startDelivery(resources, { lease } as CourierSettings);
  await until('all have couriers', 20_000, () => polls >= 2);
  const countSearches = countSearchesOf(Array.prototype);
  const before = polls;
  await until('a poll', 10_000, () => polls > before + 1);
  const searches = countSearches() / (polls - before);
  ending.resolve({ rows: [] });
  await stop();
  return searches;
}

test('a poll does not search the partners of each group once for each of 2,000 couriers', async () => {
  const searches = await searchesWith(2000);
  assert.ok(searches < 2000, `${searches} searches in each poll`);
});
