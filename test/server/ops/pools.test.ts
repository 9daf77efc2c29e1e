import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import type pg from 'pg';
import { openPerPool, singleNode } from '../../../packages/server/src/engine/connection.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { withDatabase } from '../../../packages/server/src/ops/database.ts';
import { openDirectPools, openPools } from '../../../packages/server/src/ops/pools.ts';
import { testDatabase } from '../../support/database.ts';
import { whileChanged } from '../../support/held-batch.ts';
import { succeeds } from '../admin/terminal.ts';

const { env, sql } = await testDatabase();

/** In the database, of the connections of the lanes or the staff. */
async function timeoutsWith(deadlineMs: number, kind: 'lanes' | 'staff', ...names: string[]): Promise<string[]> {
  const config = readConfig({ ...env, REQUEST_DEADLINE_MS: String(deadlineMs) });
  const pools = openPools(config, { connectionString: env.DATABASE_URL });
  after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));
  const { rows } = await pools[kind].query<{ setting: string }>(
    'SELECT setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name',
    [names],
  );
  return rows.map(({ setting }) => setting);
}

test('the database ends a batch at the request deadline, well before its partners become inactive', async () => {
  const names = ['idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout'];
  assert.deepEqual(await timeoutsWith(5000, 'lanes', ...names), ['5000', '5000', '5000']);
  assert.deepEqual(await timeoutsWith(600_000, 'lanes', ...names), ['20000', '20000', '20000']);
});

test('the database ends a command that hangs within a transaction', async () => {
  const settings = await withDatabase(readConfig(env), async ({ pool }) => {
    const { rows } = await pool.query('SHOW idle_in_transaction_session_timeout');
    return rows;
  });
  assert.deepEqual(settings, [{ idle_in_transaction_session_timeout: '20s' }]);
});

test('a read behind a lock sees earlier commits, for any default isolation level', async () => {
  const { rows } = await sql.query<{ name: string }>('SELECT current_database() AS name');
  await sql.query(`ALTER DATABASE ${rows[0]?.name} SET default_transaction_isolation = 'repeatable read'`);
  const change = (by: pg.PoolClient) => by.query('UPDATE reference SET version = version + 1');
  await whileChanged(sql, change, () => succeeds(env, 'client', 'disable', '2'));
});

test('console requests wait one second for a lock, or longer with a longer deadline', async () => {
  assert.deepEqual(await timeoutsWith(1000, 'staff', 'lock_timeout'), ['1000']);
  assert.deepEqual(await timeoutsWith(5000, 'staff', 'lock_timeout'), ['1000']);
  assert.deepEqual(await timeoutsWith(30_000, 'staff', 'lock_timeout'), ['6000']);
  assert.deepEqual(await timeoutsWith(600_000, 'staff', 'lock_timeout'), ['20000']);
});

/** The pools of a server with these settings on this many nodes. */
function directPoolsOn(count: number, settings: Record<string, string>) {
  const config = readConfig({ ...env, ...settings });
  const connection = { connectionString: env.DATABASE_URL };
  const slots = new Map(Array.from({ length: count }, (_, node) => [node, [node]]));
  const address = { host: 'elsewhere', port: 5432 };
  const nodes = count === 1 ? singleNode : { of: () => 0, addressOf: () => address, dueKeys: slots };
  const pools = openPools(config, connection);
  const direct = openDirectPools(config, connection, pools, { current: () => nodes, doubt() {} });
  after(() => Promise.all([...Object.values(pools), ...direct.all()].map((pool) => pool.end())));
  return direct;
}

const isDirect = { DATABASE_DIRECT: 'yes' };

test('writing connections are divided among directly connected nodes, with at least two per node', () => {
  const on = (count: number, settings: Record<string, string>) => {
    const { lanes, transactions } = directPoolsOn(count, settings);
    assert.equal(lanes.of(0).options.max, transactions, 'each has a connection');
    return transactions;
  };
  assert.equal(on(1, isDirect), 4);
  assert.equal(on(3, isDirect), 2);
  assert.equal(on(3, { ...isDirect, DATABASE_CONNECTIONS: '36' }), 4);
  assert.equal(on(3, { ...isDirect, DATABASE_CONNECTIONS: '3' }), 1);
  assert.equal(on(3, {}), 4);
});

/** A node whose address changes with every call of `move`. */
function movingNode() {
  let count = 0;
  const nodes = () => ({
    of: () => 0,
    addressOf: () => ({ host: `10.0.0.${count}`, port: 5432 }),
    dueKeys: new Map([[0, [0]]]),
  });
  return { nodes, move: () => count++ };
}

test('unused pools of old node addresses are forgotten', () => {
  const config = readConfig({ ...env, ...isDirect });
  const connection = { connectionString: env.DATABASE_URL };
  const pools = openPools(config, connection);
  const { nodes, move } = movingNode();
  const direct = openDirectPools(config, connection, pools, { current: nodes, doubt() {} });
  after(() => Promise.all([...Object.values(pools), ...direct.all()].map((pool) => pool.end())));
  for (let i = 0; i < 50; i++) {
    move();
    for (const kind of ['lanes', 'reads', 'background'] as const) assert.equal(direct[kind].of(0), direct[kind].of(0));
  }
  assert.ok(direct.all().length <= 6, `${direct.all().length} pools`);
  const usual = Object.keys(pools).length;
  assert.equal(Object.keys(direct.count()).length, usual);
});

test('a pool of an old address is kept while it has connections', () => {
  const config = readConfig({ ...env, ...isDirect });
  const connection = { connectionString: env.DATABASE_URL };
  const pools = openPools(config, connection);
  const { nodes, move } = movingNode();
  const direct = openDirectPools(config, connection, pools, { current: nodes, doubt() {} });
  after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));
  const used = direct.reads.of(0);
  const total = mock.getter(used, 'totalCount', () => 1);
  for (let i = 0; i < 5; i++) {
    move();
    direct.reads.of(0);
  }
  assert.ok(direct.all().includes(used));
  total.mock.restore();
  move();
  direct.reads.of(0);
  assert.ok(!direct.all().includes(used));
});

test('an object of a pool that no node uses any more is dropped once it is idle', () => {
  const { nodes, move } = movingNode();
  const usual = {} as pg.Pool;
  const opened = new Map<string, pg.Pool>();
  const of = () => opened.getOrInsertComputed(nodes().addressOf().host, () => ({}) as pg.Pool);
  const pools = { nodes, usual, of, isUnresponsive: () => false };
  const busy = new Set<object>();
  const perPool = openPerPool(
    pools,
    () => ({}),
    (one) => !busy.has(one),
  );
  const first = perPool.of(1);
  busy.add(first);
  for (let i = 0; i < 50; i++) {
    move();
    assert.equal(perPool.of(1), perPool.of(1));
  }
  assert.ok(perPool.all().includes(first), 'the busy one is kept');
  assert.ok(perPool.all().length <= 3, `${perPool.all().length} kept`);
  busy.clear();
  move();
  perPool.of(1);
  assert.ok(!perPool.all().includes(first));
});
