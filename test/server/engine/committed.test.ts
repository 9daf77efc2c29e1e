import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import type { Command } from '../../../packages/server/src/promo/batch/command.ts';
import { testDatabase } from '../../support/database.ts';
import { profile } from '../../support/plain-commands.ts';
import { openPlainLanes } from '../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../support/single-node.ts';

const { env } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));

test('every change is reported to background work, also without events; refusals are not', async () => {
  const emitted: [clientId: number, events: number][] = [];
  const lanes = openPlainLanes({
    pools: poolsOnSingleNode(pools.lanes),
    resources: { profileOf: () => ({ ...profile, isSandbox: true }) },
    observer: { committed: (clientId, result) => void emitted.push([clientId, result.emitted.size]) },
  });
  const submit = async (command: Command) => (await lanes.submit(1, [command]))[0]?.ok;
  assert.equal(await submit({ kind: 'stop_campaign', campaignId: 'none' }), false);
  assert.deepEqual(emitted, []);
  assert.equal(await submit({ kind: 'set_clock', to: Date.now() + 3_600_000 }), true);
  assert.deepEqual(emitted, [[1, 0]]);
  await lanes.drain();
});

test('the answers of a large batch are given in parts, between which the next batch goes on; those of a small one at once', async () => {
  const sizes: number[] = [];
  const lanes = openPlainLanes({
    pools: poolsOnSingleNode(pools.lanes),
    observer: { batch: (size) => void sizes.push(size) },
  });
  /** How many were answered in each turn of the event loop. */
  const answeredAtOnce = async (count: number): Promise<number[]> => {
    let turn = 0;
    const countTurns = () => {
      turn++;
      counting = setImmediate(countTurns);
    };
    let counting = setImmediate(countTurns);
    const stop: Command = { kind: 'stop_campaign', campaignId: 'none' };
    const turns = await Promise.all(Array.from({ length: count }, () => lanes.submit(1, [stop]).then(() => turn)));
    clearImmediate(counting);
    return [...Map.groupBy(turns, (each) => each).values()].map((answers) => answers.length);
  };
  assert.deepEqual(await answeredAtOnce(8), [8]);
  assert.deepEqual(await answeredAtOnce(20), [8, 8, 4]);
  assert.deepEqual(await answeredAtOnce(100), [25, 25, 25, 25]);
  assert.deepEqual(sizes, [8, 20, 100]);
  await lanes.drain();
});
