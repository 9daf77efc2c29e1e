import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { walk } from '../../support/pages.ts';
import { campaign } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';

// A request looks at 10,000 rows at most. What it then has not found, it goes on for with the next cursor.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const rows = 25_000;
const rare = [1, 2, 14_999, 15_000, 15_001, 24_999];

/** Row n was issued n seconds after 2020 began, so row 25,000 is the newest; the rare ones are cancelled. */
async function fill(): Promise<void> {
  const body = campaign({ campaign_id: 'crowded', valid_from: '2019-01-01T00:00:00Z' });
  accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
  await sql.query(
    `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, valid_from,
       issued_at, expires_at, cancelled_at, content_hash)
     SELECT 1, gen_random_uuid(), 'crowded', 'player-' || n, 'EUR', 100, 3, '2019-01-01T00:00:00Z',
       timestamptz '2020-01-01T00:00:00Z' + n * interval '1 second', '2099-01-01T00:00:00Z',
       CASE WHEN n = ANY ($2::int[]) THEN timestamptz '2021-01-01T00:00:00Z' END, '\\x00'
     FROM generate_series(1, $1::int) AS n`,
    [rows, rare],
  );
}
await fill();

const numbersOf = (entries: { player_id: string }[]) => entries.map(({ player_id }) => Number(player_id.slice(7)));

test('a rare status is found to the last, over pages that may be short or empty', async () => {
  const { entries, pages } = await walk(url, 'FreeBetList', { status: 'cancelled' });
  assert.deepEqual(numbersOf(entries), rare.toReversed());
  // Rows 25,000 to 15,001; then 15,000 to 5,001; then the rest.
  assert.deepEqual(pages, [2, 2, 2]);
});

test('a page that is full before the scan ends goes on right behind its last entry', async () => {
  const { entries, pages } = await walk(url, 'FreeBetList', { status: 'cancelled', limit: 1 });
  assert.deepEqual(numbersOf(entries), rare.toReversed());
  assert.ok(pages.every((size) => size <= 1));
});

test('between two times only what lies there is looked at', async () => {
  const at = (n: number) => new Date(Date.parse('2020-01-01T00:00:00Z') + n * 1000).toISOString();
  const { entries, pages } = await walk(url, 'FreeBetList', {
    status: 'cancelled',
    issued_from: at(5_001),
    issued_until: at(15_001),
  });
  assert.deepEqual(numbersOf(entries), [15_000, 14_999]);
  assert.equal(pages[0], 2);
  assert.ok(pages.length <= 2);
});

test('a status that nothing has is answered with empty pages, and then the end', async () => {
  const { entries, pages } = await walk(url, 'FreeBetList', { status: 'expired', campaign_id: 'crowded' });
  assert.deepEqual(entries, []);
  assert.deepEqual(pages, [0, 0, 0]);
});

test('campaigns of a rare status are found to the last', async () => {
  await sql.query(
    `WITH made AS (
       INSERT INTO campaigns
       SELECT client_id, 'copy-' || n, name, quantity, games, bet_amounts, valid_from, valid_until, duration_min,
         bonus_limit, bonus_limit_per_user, min_coefficient, max_coefficient, content_hash,
         timestamptz '2020-01-01T00:00:00Z' + n * interval '1 second'
       FROM campaigns, generate_series(1, 12000) AS n WHERE campaign_id = 'crowded' RETURNING client_id, campaign_id)
     INSERT INTO campaign_states (client_id, campaign_id, stopped_at)
     SELECT client_id, campaign_id, CASE WHEN campaign_id IN ('copy-1', 'copy-12000') THEN now() END FROM made`,
  );
  await sql.query(
    `INSERT INTO campaign_totals SELECT client_id, campaign_id, currency, 0, 0
     FROM campaigns, unnest(ARRAY['EUR', 'USD']) AS currency WHERE campaign_id LIKE 'copy-%'`,
  );
  const { entries, pages } = await walk(url, 'CampaignList', { status: 'stopped' });
  assert.deepEqual(
    entries.map(({ campaign_id }) => campaign_id),
    ['copy-12000', 'copy-1'],
  );
  assert.deepEqual(pages, [1, 1]);
});

test('also where most partners are small, and however often it was asked, no list or sum walks all rows', async () => {
  await sql.query(
    `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, valid_from, issued_at,
       expires_at, content_hash)
     SELECT 1000 + n / 20, gen_random_uuid(), 'small', 'player-' || n, 'EUR', 100, 3, '2019-01-01T00:00:00Z',
       timestamptz '2020-01-01T00:00:00Z' + n * interval '1 second', '2099-01-01T00:00:00Z', '\\x00'
     FROM generate_series(1, 10000) AS n`,
  );
  await sql.query('ANALYZE free_bets');
  const requests = [
    () => call(url, 'CampaignGet', { campaign_id: 'crowded' }),
    () => call(url, 'CampaignList', { limit: 1 }),
    () => call(url, 'FreeBetList', { issued_from: '2020-01-01T06:56:30Z', limit: 50 }),
  ];
  // More executions than PostgreSQL plans individually, on each of the connections for reads.
  for (let i = 0; i < 60; i++) for (const request of requests) assert.equal((await request()).status, 200);
  const before = await entriesRead();
  for (const request of requests) await request();
  const read = (await entriesRead()) - before;
  assert.ok(read < 2000, `${read} entries of indexes were read`);
});

/** Of all indexes of free bets; each connection reports what it has read a second after it was last busy. */
async function entriesRead(): Promise<number> {
  await delay(1500);
  const { rows } = await sql.query<{ read: number }>(
    `SELECT sum(idx_tup_read)::int AS read FROM pg_stat_user_indexes WHERE relname = 'free_bets'`,
  );
  return rows[0]?.read ?? 0;
}
