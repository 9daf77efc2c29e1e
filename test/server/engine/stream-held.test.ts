import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { streamHeld } from '../../../packages/server/src/engine/transaction.ts';
import { testDatabase } from '../../support/database.ts';

const { env, sql } = await testDatabase();
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 1, connectionTimeoutMillis: 5000 });
pool.on('error', () => {});
after(() => pool.end());

const numbers = { text: 'SELECT n FROM generate_series(1, $1::int) n', values: [25] };
const numbersOf = async (_: unknown, rows: { n: number }[]) => rows.map(({ n }) => n);
const stream = (query = numbers) => streamHeld(pool, query, 10, numbersOf);

/** Of the one connection: what it has open. */
const left = async () => {
  const { rows } =
    await pool.query(`SELECT pg_backend_pid() AS pid, (SELECT count(*)::int FROM pg_cursors WHERE is_holdable) AS cursors,
    now() = statement_timestamp() AS is_outside`);
  return rows[0];
};
const pidOf = async () => (await left()).pid;

test('a stream read to its end leaves its connection unchanged, also with no rows or exactly one page', async () => {
  const before = await left();
  assert.deepEqual([before.cursors, before.is_outside], [0, true]);
  for (const [count, pieces] of [
    [0, []],
    [10, [10]],
    [25, [10, 10, 5]],
  ] as const) {
    const lengths: number[] = [];
    for await (const rows of stream({ ...numbers, values: [count] })) lengths.push(rows.length);
    assert.deepEqual(lengths, pieces);
    assert.deepEqual(await left(), before);
  }
});

test('while it is read, no state of the world is held, and it is of one', async (t) => {
  t.after(() => sql.query('DROP TABLE changing'));
  await sql.query('CREATE TABLE changing AS SELECT n FROM generate_series(1, 25) n');
  const pid = await pidOf();
  const found: number[] = [];
  for await (const rows of stream({ text: 'SELECT n FROM changing WHERE n <= $1 ORDER BY n', values: [25] })) {
    found.push(...rows);
    await sql.query('DELETE FROM changing');
    const { rows: held } = await sql.query(
      'SELECT state, backend_xmin, backend_xid FROM pg_stat_activity WHERE pid = $1',
      [pid],
    );
    assert.deepEqual(held, [{ state: 'idle', backend_xmin: null, backend_xid: null }]);
  }
  assert.equal(found.length, 25);
});

test('an interrupted or failed stream leaves nothing open', async () => {
  const began = await pidOf();
  for await (const rows of stream()) {
    assert.equal(rows.length, 10);
    break;
  }
  const brokenOff = await left();
  assert.deepEqual([brokenOff.cursors, brokenOff.is_outside], [0, true]);
  assert.notEqual(brokenOff.pid, began);
  const readAll = async (made: AsyncGenerator<unknown>) => {
    for await (const _ of made);
  };
  for (const failsAt of [1, 15]) {
    const text = `SELECT 1 / (n - ${failsAt}) AS n FROM generate_series(1, $1::int) n`;
    await assert.rejects(readAll(stream({ ...numbers, text })), /division by zero/);
    const failed = await left();
    assert.deepEqual([failed.cursors, failed.is_outside], [0, true]);
  }
  const refuse = async () => {
    throw new Error('no');
  };
  await assert.rejects(readAll(streamHeld(pool, numbers, 10, refuse)), /no/);
  assert.equal((await left()).cursors, 0);
});
