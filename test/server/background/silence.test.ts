import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Pool } from 'pg';
import { watchSilence } from '../../../packages/server/src/background/awake.ts';
import {
  groupsByNode,
  type NodeGroup,
  type NodePools,
  oneNodeAtATime,
  singleNode,
} from '../../../packages/server/src/engine/nodes.ts';

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

test('a node is silent when it has not answered for two seconds, though it is asked again, until it does', async (t) => {
  const pass = clock(t);
  const { listen, isSilent } = watchSilence(() => two);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const failed = listen(1, first.promise);
  pass(1999);
  assert.equal(isSilent(1), false);
  pass(2);
  assert.equal(isSilent(1), true);
  assert.equal(isSilent(0), false, 'another was not asked');
  first.reject(new Error('no answer in time'));
  await assert.rejects(failed, /no answer/);
  const answered = listen(1, second.promise);
  assert.equal(isSilent(1), true, 'it is asked again');
  second.resolve();
  await answered;
  assert.equal(isSilent(1), false);
});

test('one node alone is never silent: nobody else is held up by it', (t) => {
  const pass = clock(t);
  const { listen, isSilent } = watchSilence(() => singleNode);
  void listen(0, new Promise(() => {}));
  pass(60_000);
  assert.equal(isSilent(0), false);
});

test('who is on a silent node is left out, by whoever asks about partners', () => {
  let silent = 1;
  const pools: NodePools = {
    nodes: () => two,
    usual: {} as Pool,
    of: () => ({}) as Pool,
    plainRows: () => 0,
    isSilent: (node) => node === silent,
  };
  const asked = (groups: Iterable<NodeGroup>) => [...groups].flatMap(({ clientIds }) => clientIds);
  assert.deepEqual(asked(groupsByNode(pools, [1, 2, 3, 4])), [2, 4]);
  const nextOf = oneNodeAtATime(pools);
  assert.deepEqual([nextOf([1, 2, 3]), nextOf([1, 2, 3])].map(asked), [[2], []]);

  const inTurn: number[][] = [];
  for (const { clientIds } of groupsByNode(pools, [2, 4, 6, 1], 1)) {
    inTurn.push(clientIds);
    silent = 0;
  }
  assert.deepEqual(inTurn, [[2], [1]], 'also one that falls silent meanwhile, and no more who answers again');
});
