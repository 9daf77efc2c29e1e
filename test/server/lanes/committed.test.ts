import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig } from '../../../packages/server/src/config.ts';
import type { Command } from '../../../packages/server/src/domain/command.ts';
import { openPools } from '../../../packages/server/src/runtime/pools.ts';
import { testDatabase } from '../../support/database.ts';
import { poolsOnOne } from '../../support/one-machine.ts';
import { profile } from '../../support/plain-commands.ts';
import { openPlainLanes } from '../../support/plain-lanes.ts';

const { env } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));

test('whatever was changed is told to the work in the background, without events too; what was refused is not', async () => {
  const told: [clientId: number, events: number][] = [];
  const lanes = openPlainLanes({
    pools: poolsOnOne(pools.lanes),
    resources: { profileOf: () => ({ ...profile, isSandbox: true }) },
    observer: { committed: (clientId, emitted) => void told.push([clientId, emitted.size]) },
  });
  const submit = async (command: Command) => (await lanes.submit(1, [command]))[0]?.ok;
  assert.equal(await submit({ kind: 'stop_campaign', campaignId: 'none' }), false);
  assert.deepEqual(told, []);
  assert.equal(await submit({ kind: 'set_clock', to: Date.now() + 3_600_000 }), true);
  assert.deepEqual(told, [[1, 0]]);
  await lanes.drain();
});
