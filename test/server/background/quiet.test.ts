import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { watchAwake } from '../../../packages/server/src/background/awake.ts';
import { combineWork } from '../../../packages/server/src/background/sql/work.ts';
import { type NodePools, type Nodes, singleNode } from '../../../packages/server/src/engine/nodes.ts';
import { createSignal } from '../../../packages/server/src/primitives/signal.ts';
import { until } from '../../support/waiting.ts';

// How often a server asks whether somebody is due. The database says who is awake, and in how many milliseconds the next is due.

const two: Nodes = {
  of: () => 0,
  addressOf: () => undefined,
  keepPlans: true,
  dueKeys: new Map([
    [0, [7]],
    [1, [8]],
  ]),
};

/** The answers to so many polls; how often and how late it was asked who is due. */
async function watch(nodes: Nodes, { isAwake = false, dueInMs = [] as number[], polls = 14 }) {
  let seen = 0;
  const checkedAt: number[] = [];
  const began = performance.now();
  const pool = {
    async query({ name }: { name: string }) {
      if (name === 'alone_awake_in_slot') {
        seen += 1;
        return { rows: [{ client_ids: isAwake ? [1] : [], tired: [] }] };
      }
      if (name !== 'alone_first_due_in_slot') return { rows: [] };
      checkedAt.push(performance.now() - began);
      return { rows: dueInMs.slice(0, 1).map((due_in_ms) => ({ due_in_ms })) };
    },
  } as unknown as pg.Pool;
  const pools: NodePools = {
    ...{ nodes: () => nodes, usual: pool, of: () => pool, isSilent: () => false },
    plainRows: () => 0,
  };
  const { stop } = watchAwake({
    ...{
      pools,
      work: combineWork([]),
      isDatabaseUp: () => true,
      committed: createSignal<[number]>(),
      onFault: () => {},
    },
    silence: { listen: (_, answer) => answer },
  });
  await until(`${polls} polls`, 20_000, () => seen >= polls);
  await stop();
  return { checkedAt, tookMs: performance.now() - began };
}

test('on many nodes nobody looks for who is due before the first can be, or for five seconds, while nobody is awake', async () => {
  const { checkedAt, tookMs } = await watch(two, {});
  assert.ok(checkedAt.length >= 2, 'each dueKey');
  assert.ok(checkedAt.length <= 2 * (1 + tookMs / 5000), `${checkedAt}`);

  const soon = await watch(two, { dueInMs: [1000] });
  assert.ok(soon.checkedAt.length >= 4, `${soon.checkedAt}`);
  assert.ok(soon.checkedAt.length <= 2 * (1 + soon.tookMs / 1000), `${soon.checkedAt}`);
});

test('it is looked every half second where somebody is awake, who may be put to sleep, and on one node', async () => {
  for (const [nodes, isAwake] of [
    [two, true],
    [singleNode, false],
  ] as const) {
    const { checkedAt, tookMs } = await watch(nodes, { isAwake });
    assert.ok(checkedAt.length >= 3, `${checkedAt}`);
    assert.ok(checkedAt.length <= nodes.dueKeys.size * (1 + tookMs / 500), `${checkedAt}`);
  }
});
