import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { findChains } from '../../../packages/server/src/audit/sql.ts';
import { forPartner } from '../../../packages/server/src/engine/rows.ts';
import { ask } from '../../../packages/server/src/engine/statement.ts';
import { findEventsAfter } from '../../../packages/server/src/events/feed/sql/events.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import { countCampaignPlayers } from '../../../packages/server/src/promo/campaigns/sql/campaigns.ts';
import { cacheCampaignDefinitions } from '../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { findLiveCampaigns, readOpenBets } from '../../../packages/server/src/reports/sql/overview.ts';
import { testDatabase } from '../../support/database.ts';
import { rowsWalked } from '../../support/plans.ts';

// Frequent reads must not cost more for old data: a partner has many ended campaigns, others have few.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));

const [ended, live] = [5000, 10];
await sql.query(
  `INSERT INTO partners (client_id, name, secret) SELECT i, 'Partner ' || i, '\\x00' FROM generate_series(10, 209) i`,
);
await sql.query(
  `INSERT INTO campaigns (client_id, campaign_id, name, quantity, games, bet_amounts, valid_from, valid_until,
     max_coefficient, content_hash, created_at)
   SELECT CASE WHEN n <= $1 THEN 10 ELSE 11 + n % 199 END, 'c-' || n, 'C', 3, ARRAY['g'], '[["EUR",100]]',
     now() - interval '2 years', now() + CASE WHEN n <= $2 THEN interval '1 day' ELSE interval '-1 year' END,
     100000, '\\x00', now() - interval '2 years' FROM generate_series(1, $1 + 2000) n`,
  [ended, live],
);
await sql.query(`INSERT INTO campaign_states (client_id, campaign_id) SELECT client_id, campaign_id FROM campaigns`);
await sql.query(
  `INSERT INTO campaign_totals SELECT client_id, campaign_id, currency, CASE WHEN valid_until > now() THEN 5 ELSE 0 END, 0
   FROM campaigns CROSS JOIN unnest(ARRAY['EUR', 'USD']) AS c(currency)`,
);

const walked = async (statement: { text: string; values?: unknown[] }, tables: string[]) =>
  Promise.all(tables.map((table) => rowsWalked(sql, statement, table)));

for (const isAnalysed of [false, true]) {
  const how = isAnalysed ? '' : ', also when nothing is known of the tables';
  test(`live campaigns are found without reading ended ones${how}`, async () => {
    if (isAnalysed) await sql.query('VACUUM ANALYZE campaigns, campaign_states, campaign_totals, partners');
    for (const partners of [[10], null]) {
      const read = await walked(findLiveCampaigns({ partners, among: 'all' }), ['campaigns', 'campaign_states']);
      // Once to find them, once to return them; as estimated from the averages of all partners.
      assert.ok(Math.max(...read) < 3 * live, `${read} campaigns and states were walked`);
    }
  });

  test(`open amounts are read with one scan of the totals and of the campaigns with open amounts${how}`, async () => {
    for (const partners of [[10], null]) {
      const statement = readOpenBets({ partners, among: 'all' });
      const [campaigns, totals = 0] = await walked(statement, ['campaigns', 'campaign_totals']);
      assert.equal(campaigns, 2 * live);
      assert.ok(totals <= 2 * (ended + 2000), `${totals} totals were walked`);
    }
  });
}

test('free bets of a player in a new campaign are counted without older ones, for any statistics of the partner', async () => {
  const give = (count: number, clientId: string, campaign: string) =>
    sql.query(
      `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, valid_from,
         issued_at, expires_at, swept, content_hash)
       SELECT ${clientId}, gen_random_uuid(), 'a-campaign-whose-id-is-as-long-as-a-uuid-' || ${campaign}, 'daily-' || i % 10,
         'EUR', 100, 3, t, t, t, true, '\\x00'
       FROM (SELECT i, now() - ($1 - i) * interval '2 hours' AS t FROM generate_series(1, $1 - 1) i) given`,
      [count],
    );
  await give(3000, '1000 + i', '1');
  await sql.query('ANALYZE free_bets');
  await give(10_000, '10', 'CASE WHEN i < 9900 THEN 1 + i % 9 ELSE 10 END');
  const players = (campaign: number) =>
    Array.from({ length: 10 }, (_, i) => ({
      campaignId: `a-campaign-whose-id-is-as-long-as-a-uuid-${campaign}`,
      playerId: `daily-${i}`,
    }));
  const walk = (campaign: number) =>
    rowsWalked(pools.lanes, countCampaignPlayers(forPartner(10, players(campaign))), 'free_bets');
  // And for each the first of the campaign.
  const read = await walk(10);
  assert.ok(read >= 100 && read <= 110, `${read} were read`);
  // One that sorts before others has their first in sight.
  assert.ok((await walk(0)) <= 10, `of a campaign that has given none ${await walk(0)} were read`);
  assert.equal(await walk(99), 0, 'nothing is behind a campaign that has given none');
  const { rows } = await sql.query(countCampaignPlayers(forPartner(10, players(10).slice(0, 1))));
  assert.equal(rows[0].held, 10);
});

test('the chain of one partner is found without the records of all', async () => {
  const record = '{"action":"x","actor":{"kind":"cli"},"target":{"kind":"a","id":"b"}}';
  await sql.query(
    `INSERT INTO audit (client_id, sequence, at, record, hash)
     SELECT 10 + i % 100, 1 + i / 100, now(), $1, '\\x00' FROM generate_series(0, 4999) i`,
    [record],
  );
  await sql.query(
    'INSERT INTO audit_heads SELECT client_id, max(sequence), now() FROM audit WHERE client_id <> 13 GROUP BY 1',
  );
  await sql.query('VACUUM ANALYZE audit, audit_heads');
  const read = await rowsWalked(sql, findChains([12]), 'audit');
  assert.ok(read <= 100, `${read} records were walked for a chain of 50`);
  const lengths = async (chains: number[]) => (await ask(pools.reads, findChains(chains))).map(({ length }) => length);
  assert.deepEqual(await lengths([12, 13, 9999]), [50, null]);
});

test('the latest events are found without a look at the oldest, which may stand behind many that were removed', async () => {
  await sql.query(
    `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, events, written_at)
     SELECT 10, 2 * i - 1, 2 * i, now(), json_build_array(e, e), now() FROM generate_series(1, 5000) i CROSS JOIN LATERAL (
       SELECT json_build_object('id', gen_random_uuid(), 'type', 'job.finished', 'job', json_build_object('jobId', i))) AS s(e)`,
  );
  await sql.query('VACUUM ANALYZE event_batches');
  let asked: pg.QueryConfig = { text: '' };
  const query = (question: pg.QueryConfig) => {
    asked = question;
    return pools.reads.query(question);
  };
  const watched = { query } as unknown as pg.Pool;
  const after = async (sequence: number) => {
    const { events } = await findEventsAfter(watched, cacheCampaignDefinitions(1), 10, sequence, 4);
    return events.map((event) => event.sequence);
  };
  /** A removed row still costs a read. */
  const pagesRead = async () => {
    const { rows } = await sql.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${asked.text}`, asked.values);
    const { Plan } = rows[0]['QUERY PLAN'][0];
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
  };
  const dump = await sql.connect();
  try {
    await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await dump.query('SELECT FROM event_batches LIMIT 1');
    await sql.query('DELETE FROM event_batches WHERE client_id = 10 AND first_sequence <= 8000');
    assert.deepEqual(await after(9000), [9001, 9002, 9003, 9004]);
    assert.ok((await pagesRead()) < 50, `${await pagesRead()} pages were read`);
    assert.deepEqual(await after(9001), [9002, 9003, 9004, 9005, 9006]);
    assert.deepEqual(await after(0), [8001, 8002, 8003, 8004]);
    assert.deepEqual(await after(8000), [8001, 8002, 8003, 8004]);
    assert.deepEqual(await after(10_000), []);
  } finally {
    await dump.query('ROLLBACK');
    dump.release();
  }
});
