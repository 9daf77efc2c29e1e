import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Pool } from 'pg';
import { probeNodes } from '../../../packages/server/src/background/active.ts';
import {
  groupsByNode,
  type NodeGroup,
  type NodePools,
  oneNodeAtATime,
  singleNode,
} from '../../../packages/server/src/engine/connection.ts';

const two = {
  ...singleNode,
  of: (clientId: number) => clientId % 2,
  dueKeys: new Map([0, 1].map((each) => [each, [each]])),
};

function clock({ mock }: TestContext) {
  let now = 0;
  mock.method(performance, 'now', () => now);
  return (ms: number) => {
    now += ms;
  };
}

test('a node is unresponsive after two seconds without a response, until it responds', async (t) => {
  const pass = clock(t);
  const { track, isUnresponsive } = probeNodes(() => two);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const failed = track(1, first.promise);
  pass(1999);
  assert.equal(isUnresponsive(1), false);
  pass(2);
  assert.equal(isUnresponsive(1), true);
  assert.equal(isUnresponsive(0), false, 'another was not asked');
  first.reject(new Error('no answer in time'));
  await assert.rejects(failed, /no answer/);
  const answered = track(1, second.promise);
  assert.equal(isUnresponsive(1), true, 'it is asked again');
  second.resolve();
  await answered;
  assert.equal(isUnresponsive(1), false);
});

test('a single node is never unresponsive', (t) => {
  const pass = clock(t);
  const { track, isUnresponsive } = probeNodes(() => singleNode);
  void track(0, new Promise(() => {}));
  pass(60_000);
  assert.equal(isUnresponsive(0), false);
});

test('partners on an unresponsive node are skipped', () => {
  let unresponsive = 1;
  const pools: NodePools = {
    nodes: () => two,
    usual: {} as Pool,
    of: () => ({}) as Pool,
    isUnresponsive: (node) => node === unresponsive,
  };
  const asked = (groups: Iterable<NodeGroup>) => [...groups].flatMap(({ clientIds }) => clientIds);
  assert.deepEqual(asked(groupsByNode(pools, [1, 2, 3, 4])), [2, 4]);
  const nextOf = oneNodeAtATime(pools);
  assert.deepEqual([nextOf([1, 2, 3]), nextOf([1, 2, 3])].map(asked), [[2], []]);

  const inTurn: number[][] = [];
  for (const { clientIds } of groupsByNode(pools, [2, 4, 6, 1], 1)) {
    inTurn.push(clientIds);
    unresponsive = 0;
  }
  assert.deepEqual(
    inTurn,
    [[2], [1]],
    'also a node that becomes unresponsive meanwhile, and not one that responds again',
  );
});
