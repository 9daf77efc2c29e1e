import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import type { CommandOf } from '../../../packages/server/src/promo/batch/command.ts';
import { testDatabase } from '../../support/database.ts';
import { holdCampaign } from '../../support/held-batch.ts';
import { openPlainLanes } from '../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../support/single-node.ts';
import { stopwatch } from '../../support/waiting.ts';

// Low-priority work together with urgent commands in the lane of one partner.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));

let isDatabaseUp = true;
const faults: unknown[] = [];

const open = (deadlineMs = 60_000) =>
  openPlainLanes({
    pools: poolsOnSingleNode(pools.lanes),
    resources: { isDatabaseUp: () => isDatabaseUp },
    settings: { deadlineMs },
    observer: { fault: (error) => faults.push(error) },
  });

const stop = (campaignId: string): CommandOf<'stop_campaign'> => ({ kind: 'stop_campaign', campaignId });

await sql.query(
  `INSERT INTO campaigns VALUES (1, 'held', 'x', 1, '{}', '[]', now(), now(), NULL, NULL, NULL, NULL, NULL, '\\x00', now())`,
);
await sql.query(`INSERT INTO campaign_states (client_id, campaign_id) VALUES (1, 'held')`);

type Lanes = ReturnType<typeof open>;

/** The room offered with this many urgent commands behind a batch that waits for a row. */
async function roomBeside(lanes: Lanes, urgent: number): Promise<number> {
  const held = await holdCampaign(sql, 'held');
  const underWay = lanes.submit(1, [stop('held')]);
  await held.isWaitedFor();
  const behind = lanes.submit(
    1,
    Array.from({ length: urgent }, () => stop('none')),
  );
  let room = 0;
  const patient = lanes.submitLowPriority(1, (offered) => {
    room = offered;
    return stop('patient');
  });
  await held.letGo();
  const [, outcomes, outcome] = await Promise.all([underWay, behind, patient]);
  assert.equal(outcomes.length, urgent);
  assert.deepEqual(outcome, { ok: false, error: 'campaign_not_found' });
  return room;
}

test('what can wait is offered the whole batch when nothing is urgent', async () => {
  const lanes = open();
  let room = 0;
  const outcome = await lanes.submitLowPriority(1, (offered) => {
    room = offered;
    return stop('patient');
  });
  assert.deepEqual([room, outcome.ok], [100, false]);
  await lanes.drain();
});

test('with urgent commands it is offered half as much room, and at least a little', async () => {
  const lanes = open();
  assert.equal(await roomBeside(lanes, 60), 30);
  await setTimeout(50);
  assert.equal(await roomBeside(lanes, 4), 16);
  await setTimeout(50);
  // More than fits into a batch.
  assert.equal(await roomBeside(lanes, 500), 50);
  await lanes.drain();
});

test('for a moment after urgent commands it is offered as if they were still there', async () => {
  const lanes = open();
  const rooms: number[] = [];
  const probe = (room: number) => {
    rooms.push(room);
    return stop('patient');
  };
  // On a node that is busy with other things the moment may be over before anything is offered.
  for (let attempt = 1; attempt <= 10 && rooms[0] !== 40; attempt++) {
    rooms.length = 0;
    await lanes.submit(
      1,
      Array.from({ length: 80 }, () => stop('none')),
    );
    await lanes.submitLowPriority(1, probe);
  }
  await setTimeout(50);
  await lanes.submitLowPriority(1, probe);
  assert.deepEqual(rooms, [40, 100]);
  await lanes.drain();
});

test('it has no deadline, does not make the lanes busy, and does not count in the queue', async () => {
  const lanes = open(200);
  const held = await holdCampaign(sql, 'held');
  const underWay = lanes.submit(1, [stop('held')]);
  await held.isWaitedFor();
  const behind = lanes.submit(1, [stop('none')]);
  const patient = lanes.submitLowPriority(1, () => stop('patient'));
  assert.equal(lanes.depth(), 1);
  assert.deepEqual(await behind, [{ ok: false, error: 'unavailable' }]);
  await setTimeout(300);
  await held.letGo();
  assert.deepEqual(await patient, { ok: false, error: 'campaign_not_found' });
  await underWay;
  const alone = lanes.submitLowPriority(1, () => stop('patient'));
  assert.equal(lanes.isBusy(), false);
  await alone;
  await lanes.drain();
});

test('it is dropped when the database goes, and not taken until it is back', async () => {
  const lanes = open();
  const held = await holdCampaign(sql, 'held');
  const underWay = lanes.submit(1, [stop('held')]);
  await held.isWaitedFor();
  let made = 0;
  const make = () => {
    made++;
    return stop('patient');
  };
  const patient = lanes.submitLowPriority(1, make);
  lanes.refuseAll();
  assert.deepEqual(await patient, { ok: false, error: 'unavailable' });
  isDatabaseUp = false;
  assert.deepEqual(await lanes.submitLowPriority(1, make), { ok: false, error: 'unavailable' });
  isDatabaseUp = true;
  await held.letGo();
  await underWay;
  assert.equal(made, 0);
  assert.equal((await lanes.submitLowPriority(1, make)).ok, false);
  assert.equal(made, 1);
  await lanes.drain();
});

test('it is not carried out when the server stops', async () => {
  const lanes = open();
  const held = await holdCampaign(sql, 'held');
  const underWay = lanes.submit(1, [stop('held')]);
  await held.isWaitedFor();
  const make = () => assert.fail('it is not made');
  const patient = lanes.submitLowPriority(1, make);
  const drained = lanes.drain();
  assert.deepEqual(await patient, { ok: false, error: 'unavailable' });
  assert.deepEqual(await lanes.submitLowPriority(1, make), { ok: false, error: 'unavailable' });
  await held.letGo();
  assert.equal((await underWay)[0]?.ok, true);
  await drained;
  assert.deepEqual(faults, []);
});

test('a transaction that waits too long for a row drops it, and keeps the urgent commands', async () => {
  const lanes = open();
  const held = await holdCampaign(sql, 'held');
  const patient = lanes.submitLowPriority(1, () => stop('held'));
  assert.deepEqual(await patient, { ok: false, error: 'unavailable' });
  const urgent = lanes.submit(1, [stop('held')]);
  await setTimeout(1200);
  await held.letGo();
  assert.equal((await urgent)[0]?.ok, true);
  await lanes.drain();
});

test('while other partners take every transaction, it has one within some tenths of a second, with the least room', async () => {
  const lanes = open();
  let isBusy = true;
  // Two for each of the two transactions: one of them is always ready when another ends.
  const others = [11, 12, 13, 14].map(async (clientId) => {
    const many = Array.from({ length: 80 }, () => stop('none'));
    while (isBusy) await lanes.submit(clientId, many);
  });
  await setTimeout(50);
  const rooms: number[] = [];
  const waits: number[] = [];
  try {
    for (let turn = 0; turn < 3; turn++) {
      const [began, countedMs] = [performance.now(), stopwatch()];
      const taken = lanes.submitLowPriority(1, (room) => {
        rooms.push(room);
        return stop('patient');
      });
      await Promise.race([taken, setTimeout(5000, undefined, { ref: false })]);
      assert.ok(performance.now() - began >= 240);
      waits.push(countedMs());
    }
  } finally {
    isBusy = false;
    await Promise.all(others);
    await lanes.drain();
  }
  assert.deepEqual(rooms, [16, 16, 16]);
  for (const ms of waits) assert.ok(ms < 2000, `${ms} ms`);
});

test('a patient command that cannot be made fails alone, and the commands taken with it are carried out', async () => {
  const lanes = open();
  const poison = () => {
    throw new TypeError('poison');
  };
  const seen = faults.length;
  const urgent = lanes.submit(1, [stop('held')]);
  const made = lanes.submitLowPriority(1, poison);
  assert.deepEqual(await made, { ok: false, error: 'internal_error' });
  assert.deepEqual(await urgent, [{ ok: true, value: {} }]);
  assert.deepEqual(await lanes.submitLowPriority(1, poison), { ok: false, error: 'internal_error' }, 'alone too');
  assert.deepEqual(await lanes.submit(1, [stop('held')]), [{ ok: true, value: {} }], 'the lane goes on');
  assert.deepEqual(faults.slice(seen).map(String), Array(2).fill('TypeError: poison'));
  await lanes.drain();
});
