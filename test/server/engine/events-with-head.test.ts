import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findEventsAfter } from '../../../packages/server/src/events/feed/sql/events.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import { cacheCampaignDefinitions } from '../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { testDatabase } from '../../support/database.ts';
import { somebodyWaits } from '../../support/held-batch.ts';
import { longIssues } from '../../support/plain-commands.ts';
import { openPlainLanes } from '../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../support/single-node.ts';

// On one node the events of a batch are inserted by the statement that moves the head.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
const lanes = openPlainLanes({ pools: poolsOnSingleNode(pools.lanes) });
after(async () => {
  await lanes.drain();
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
});

const issued = async (clientId: number, count: number) =>
  (await lanes.submit(clientId, longIssues(count))).filter(({ ok }) => ok).length;

const rowsOf = async (clientId: number) =>
  (
    await sql.query<{ first: number; last: number; head: number; written_at: Date }>(
      `SELECT first_sequence::int AS first, last_sequence::int AS last, written_at,
         (SELECT last_sequence::int FROM event_heads WHERE client_id = $1) AS head
       FROM event_batches WHERE client_id = $1 ORDER BY first_sequence`,
      [clientId],
    )
  ).rows;

test('events that are too long for one row are numbered without a gap, of partners with a head and without', async () => {
  for (const clientId of [101, 101, 102]) assert.equal(await issued(clientId, 7), 7);
  for (const [clientId, count] of [
    [101, 14],
    [102, 7],
  ] as const) {
    const { events } = await findEventsAfter(pools.reads, cacheCampaignDefinitions(1), clientId, 0, 100);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: count }, (_, i) => i + 1),
    );
    const rows = await rowsOf(clientId);
    assert.ok(rows.length > 1, 'in several rows');
    assert.deepEqual(
      rows.map(({ first }) => first),
      [1, ...rows.slice(0, -1).map(({ last }) => last + 1)],
    );
    assert.equal(rows.at(-1)?.last, rows[0]?.head);
  }
});

test('they are written at the time at which they have their numbers, however long they waited', async (t) => {
  assert.equal(await issued(103, 1), 1);
  const other = await sql.connect();
  t.after(() => other.release(true));
  await other.query('BEGIN');
  await other.query('UPDATE event_heads SET last_sequence = last_sequence WHERE client_id = 103');
  const submitted = issued(103, 1);
  await somebodyWaits(sql);
  await delay(100);
  const { rows } = await other.query<{ now: Date }>('SELECT world_now() AS now');
  await other.query('COMMIT');
  assert.equal(await submitted, 1);
  const writtenAt = (await rowsOf(103)).at(-1)?.written_at;
  assert.ok(
    writtenAt && rows[0] && writtenAt >= rows[0].now,
    `${writtenAt?.toISOString()} after ${rows[0]?.now.toISOString()}`,
  );
});
