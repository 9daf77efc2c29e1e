import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { watchActivePartners } from '../../../packages/server/src/background/active.ts';
import { combineWork } from '../../../packages/server/src/background/sql/work.ts';
import { type NodePools, type Nodes, singleNode } from '../../../packages/server/src/engine/connection.ts';
import { createSignal } from '../../../packages/server/src/primitives/signal.ts';
import { until } from '../../support/waiting.ts';

// How often a server asks which partners are due. The database says which partners are active, and in how many milliseconds the next is due.

const two: Nodes = {
  of: () => 0,
  addressOf: () => undefined,
  dueKeys: new Map([
    [0, [7]],
    [1, [8]],
  ]),
};

/** The results of this many polls; the number and the delays of the queries for due partners. */
async function watch(nodes: Nodes, { isActive = false, dueInMs = [] as number[], polls = 14 }) {
  let seen = 0;
  const checkedAt: number[] = [];
  const began = performance.now();
  const pool = {
    async query({ name }: { name: string }) {
      if (name === 'alone_active_in_slot') {
        seen += 1;
        return { rows: [{ client_ids: isActive ? [1] : [], idle: [] }] };
      }
      if (name !== 'alone_first_due_in_slot') return { rows: [] };
      checkedAt.push(performance.now() - began);
      return { rows: dueInMs.slice(0, 1).map((due_in_ms) => ({ due_in_ms })) };
    },
  } as unknown as pg.Pool;
  const pools: NodePools = {
    ...{ nodes: () => nodes, usual: pool, of: () => pool, isUnresponsive: () => false },
  };
  const { stop } = watchActivePartners({
    ...{
      pools,
      work: combineWork([]),
      isDatabaseUp: () => true,
      committed: createSignal<[number]>(),
      onFault: () => {},
    },
    probe: { track: (_, response) => response },
  });
  await until(`${polls} polls`, 20_000, () => seen >= polls);
  await stop();
  return { checkedAt, tookMs: performance.now() - began };
}

test('with many nodes and no active partner, due work is checked only when it can be due or after 5 s', async () => {
  const { checkedAt, tookMs } = await watch(two, {});
  assert.ok(checkedAt.length >= 2, 'each dueKey');
  assert.ok(checkedAt.length <= 2 * (1 + tookMs / 5000), `${checkedAt}`);

  const soon = await watch(two, { dueInMs: [1000] });
  assert.ok(soon.checkedAt.length >= 4, `${soon.checkedAt}`);
  assert.ok(soon.checkedAt.length <= 2 * (1 + soon.tookMs / 1000), `${soon.checkedAt}`);
});

test('due work is checked every half second with an active partner or a single node', async () => {
  for (const [nodes, isActive] of [
    [two, true],
    [singleNode, false],
  ] as const) {
    const { checkedAt, tookMs } = await watch(nodes, { isActive });
    assert.ok(checkedAt.length >= 3, `${checkedAt}`);
    assert.ok(checkedAt.length <= nodes.dueKeys.size * (1 + tookMs / 500), `${checkedAt}`);
  }
});
