import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import type { Lanes } from '../../../../packages/server/src/promo/batch/command.ts';
import { startSweeper } from '../../../../packages/server/src/promo/free-bets/work.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { poolsOnSingleNode } from '../../../support/single-node.ts';
import { until } from '../../../support/waiting.ts';

// When the sweeper may say that everything that had expired is written down.

const { env, sql } = await testDatabase();
const connection = { connectionString: env.DATABASE_URL };
const pool = openPool({ connection, max: 2, queryTimeoutMs: 5000, applicationName: 't' });
after(() => pool.end());

interface LanesThat {
  areBusy?: boolean;
  pauseMs?: number;
  /** Resolves when they carry it out. */
  wait?(clientId: number): Promise<unknown>;
}

/** How often it said so, with lanes that carry out what they are given, or nothing. */
function sweeping(
  active: number[],
  areCarriedOut: boolean,
  batchSize: number,
  pools = poolsOnSingleNode(pool),
  { areBusy = false, pauseMs = 20, wait = async () => {} }: LanesThat = {},
) {
  let rounds = 0;
  const found: number[] = [];
  const submit = async (clientId: number, commands: unknown[]) => {
    found.push(commands.length);
    await wait(clientId);
    return commands.map(() => ({ ok: areCarriedOut }));
  };
  const sweeper = startSweeper(
    {
      pools,
      lanes: { submit, isBusy: () => areBusy } as unknown as Lanes,
      active: () => new Set(active),
      isSandbox: (clientId) => clientId === demo.clientId,
      isDatabaseUp: () => true,
      onFault: (error) => assert.fail(String(error)),
      onCaughtUp: () => {
        rounds += 1;
      },
    },
    { batchSize, pauseMs },
  );
  return { rounds: () => rounds, found, stop: sweeper.stop };
}

test('it is done when no partner is active, and not while something is left', async () => {
  const { url } = await testServer({ ...env, WORKER: 'off' });
  const [start, end] = ['2027-03-01T12:00:00.000Z', '2027-03-01T13:00:00.000Z'];
  await setClock(sql, start);
  await sql.query('UPDATE free_bets SET swept = true');
  for (let i = 0; i < 3; i++) {
    accepted('Issue', await call(url, 'Issue', directIssue({ valid_from: start, valid_until: end })));
  }
  await setClock(sql, later(end, 1000));
  for (const { active, areCarriedOut, batchSize, isDone } of [
    { active: [], areCarriedOut: true, batchSize: 10, isDone: true },
    { active: [demo.clientId], areCarriedOut: false, batchSize: 10, isDone: false },
    { active: [demo.clientId], areCarriedOut: true, batchSize: 2, isDone: false },
    // All that had expired is written down, though more may expire before the next round.
    { active: [demo.clientId], areCarriedOut: true, batchSize: 10, isDone: true },
  ]) {
    const sweeper = sweeping(active, areCarriedOut, batchSize);
    if (isDone) await until('it is done', 5000, () => sweeper.rounds() > 0);
    else await until('it has tried', 5000, () => sweeper.found.length > 3);
    await sweeper.stop();
    assert.equal(sweeper.rounds() > 0, isDone);
  }
  await setClock(sql, null);
});

test('whether a clock was moved is asked of sandboxes alone', async () => {
  const asked: { name?: string; values: unknown[] }[] = [];
  const query = (statement: (typeof asked)[number]) => {
    asked.push(statement);
    return pool.query(statement as pg.QueryConfig);
  };
  const sweeper = sweeping(
    [demo.clientId, rival.clientId],
    true,
    10,
    poolsOnSingleNode({ query } as unknown as pg.Pool),
  );
  const of = (part: string) => asked.filter(({ name }) => name?.includes(part)).map(({ values }) => values.flat());
  await until('both have asked', 5000, () => of('moved').length > 0 && of('due_expiry').length > 0);
  await sweeper.stop();
  assert.deepEqual(of('moved')[0], [demo.clientId]);
  assert.deepEqual(of('due_expiry')[0], [demo.clientId, rival.clientId]);
});

test('it is not done while a node is unresponsive, though no partner there is known to be active', async () => {
  let isAsked = false;
  let isUnresponsive = true;
  const sweeper = sweeping([], true, 10, {
    ...poolsOnSingleNode(pool),
    isUnresponsive() {
      isAsked = true;
      return isUnresponsive;
    },
  });
  await until('there was a round', 5000, () => isAsked);
  await setTimeout(100);
  assert.equal(sweeper.rounds(), 0);
  isUnresponsive = false;
  await until('it is done', 5000, () => sweeper.rounds() > 0);
  await sweeper.stop();
});

test('that the lane of one partner waits holds up the others no longer than it waits, and a second', async () => {
  const { url } = await testServer({ ...env, WORKER: 'off' });
  const [start, end] = ['2027-03-02T12:00:00.000Z', '2027-03-02T13:00:00.000Z'];
  await setClock(sql, start);
  await sql.query('UPDATE free_bets SET swept = true');
  for (const partner of [demo, rival]) {
    accepted('Issue', await call(url, 'Issue', directIssue({ valid_from: start, valid_until: end }), partner));
  }
  await setClock(sql, later(end, 1000));
  const waited = new Map<number, number>();
  const sweeper = sweeping([demo.clientId, rival.clientId], true, 10, poolsOnSingleNode(pool), {
    areBusy: true,
    async wait(clientId) {
      if (waited.has(clientId)) return;
      await setTimeout(600);
      waited.set(clientId, performance.now());
    },
  });
  await until('both had their turn', 20_000, () => waited.size === 2);
  await sweeper.stop();
  const [first = 0, second = 0] = waited.values();
  const restedMs = second - first - 600;
  assert.ok(restedMs > 900 && restedMs < 3000, `it rested for ${restedMs} ms`);
  await setClock(sql, null);
});

test('what expired when a clock was set is looked for until it is written down, however long ago that was', async () => {
  const { url } = await testServer({ ...env, WORKER: 'off' });
  const [start, end] = ['2027-04-01T12:00:00.000Z', '2027-04-01T13:00:00.000Z'];
  await setClock(sql, start);
  await sql.query('UPDATE free_bets SET swept = true');
  accepted('Issue', await call(url, 'Issue', directIssue({ valid_from: start, valid_until: end })));
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: end }));
  await setClock(sql, later(start, 60_000));
  const active: number[] = [];
  const sweeper = sweeping(active, false, 10, poolsOnSingleNode(pool), { pauseMs: 3_600_000 });
  await until('the round before the long pause is over', 5000, () => sweeper.rounds() > 0);
  active.push(demo.clientId);
  await until('it is looked for, and again', 5000, () => sweeper.found.length > 1);
  await sql.query('UPDATE free_bets SET swept = true');
  // What expires by itself later waits for the pause.
  const soon = { valid_from: end, valid_until: later(end, 90_000) };
  accepted('Issue', await call(url, 'Issue', directIssue(soon)));
  await setClock(sql, later(start, 120_000));
  const known = sweeper.found.length;
  await setTimeout(700);
  await sweeper.stop();
  assert.equal(sweeper.found.length, known);
  await setClock(sql, null);
});
