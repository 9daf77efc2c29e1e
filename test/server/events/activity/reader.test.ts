import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import { startActivityReader } from '../../../../packages/server/src/events/activity/work.ts';
import { createSignal } from '../../../../packages/server/src/primitives/signal.ts';
import { activityRows, allCounted, assertActivityHolds } from '../../../support/activity.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { jobOver, startJob } from '../../../support/jobs.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games, job } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { poolsOnSingleNode } from '../../../support/single-node.ts';
import { until } from '../../../support/waiting.ts';

// Counting of events by a server's activity reader, and by concurrent readers.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '20' });

const start = '2031-03-30T00:30:00.000Z';
const at = (minutes: number) => setClock(sql, later(start, minutes * 60_000));
await at(0);
const terms = { valid_from: start, valid_until: later(start, 86_400_000) };

/** The counts of a campaign by hour. */
async function countedOf(campaignId: string): Promise<Record<string, string>> {
  await assertActivityHolds(sql);
  const { rows } = await sql.query(
    `SELECT to_char(hour AT TIME ZONE 'UTC', 'HH24') || ' ' || currency || ' ' || (game_id <> '') AS key,
       concat_ws(' ', issued, cancelled, expired, bets, settled, staked, won) AS sums
     FROM activity WHERE campaign_id = $1 ORDER BY 1`,
    [campaignId],
  );
  return Object.fromEntries(rows.map(({ key, sums }) => [key, sums]));
}

const issue = async (campaign_id: string, currency = 'EUR'): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', { campaign_id, currency, player_id: 'ann' })).issue_id;
async function bet(issue_id: string): Promise<string> {
  const bet_id = randomUUID();
  const body = { bet_id, issue_id, player_id: 'ann', game_id: games.one };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', body));
  return bet_id;
}
const settle = async (bet_id: string, won = true) =>
  accepted(
    'RoundsSettle',
    await callAs(lantern, url, 'RoundsSettle', {
      bet_id,
      ...(won ? { result: 'won', coefficient: '2.35' } : { result: 'lost' }),
    }),
  );

test('everything counts in its hour, by campaign, currency, game and provider', async () => {
  accepted(
    'CampaignCreate',
    await call(url, 'CampaignCreate', campaign({ campaign_id: 'a', ...terms, duration_min: 240 })),
  );
  const euro = await issue('a');
  await issue('a', 'USD');
  const cancelled = await issue('a');
  const first = await bet(euro);
  const second = await bet(euro);
  assert.deepEqual(await countedOf('a'), {
    '00 EUR false': '2 0 0 0 0 0 0',
    '00 EUR true': '0 0 0 2 0 200 0',
    '00 USD false': '1 0 0 0 0 0 0',
  });
  await at(40);
  await settle(first);
  accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id: second }));
  accepted('Cancel', await call(url, 'Cancel', { issue_id: cancelled }));
  assert.deepEqual(await countedOf('a'), {
    '00 EUR false': '2 0 0 0 0 0 0',
    // A rollback is subtracted from the hour in which the bet was placed.
    '00 EUR true': '0 0 0 1 0 100 0',
    '00 USD false': '1 0 0 0 0 0 0',
    '01 EUR false': '0 1 0 0 0 0 0',
    '01 EUR true': '0 0 0 0 1 0 135',
  });
  const third = await bet(euro);
  await at(300);
  await settle(third, false);
  await until('they have expired', 5000, async () => (await countedOf('a'))['05 EUR false'] !== undefined);
  const counted = await countedOf('a');
  assert.deepEqual(
    [counted['01 EUR true'], counted['05 EUR false'], counted['05 USD false'], counted['05 EUR true']],
    ['0 0 0 1 1 100 135', '0 0 1 0 0 0 0', '0 0 1 0 0 0 0', '0 0 0 0 1 0 0'],
  );
});

test('free bets without a campaign, those of a job, and a sandbox whose clock is ahead', async () => {
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: later(start, 30 * 86_400_000) }, rival));
  const until2032 = { valid_until: '2032-01-01T00:00:00Z' };
  accepted('Issue', await call(url, 'Issue', directIssue(until2032), rival));
  const wanted = job('a2');
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'a2', ...until2032 })));
  await startJob(url, wanted, [[1, 2, 3].map((i) => ({ player_id: `p${i}`, currency: 'EUR' }))]);
  await jobOver(url, wanted);
  await assertActivityHolds(sql);
  const { rows } = await sql.query(
    `SELECT client_id, to_char(hour AT TIME ZONE 'UTC', 'MM-DD HH24') AS hour, campaign_id, issued::int FROM activity
     WHERE campaign_id IN ('', 'a2') ORDER BY 1`,
  );
  assert.deepEqual(rows, [
    { client_id: 1, hour: '03-30 05', campaign_id: 'a2', issued: 3 },
    { client_id: 2, hour: '04-29 00', campaign_id: '', issued: 1 },
  ]);
});

test('concurrent readers count every event once, and one that fails does not block the others', async () => {
  const pool = openPool({
    connection: { connectionString: env.DATABASE_URL },
    max: 4,
    queryTimeoutMs: 5000,
    applicationName: 't',
  });
  const faults: unknown[] = [];
  const committed = createSignal<[clientId: number]>();
  const readers = Array.from({ length: 4 }, () =>
    startActivityReader({
      pools: poolsOnSingleNode(pool),
      isDatabaseUp: () => true,
      isBusy: () => true,
      active: () => new Set([demo.clientId, rival.clientId, 77]),
      committed,
      onFault: (e) => faults.push(e),
    }),
  );
  const work = async (partner = demo) => {
    for (let i = 0; i < 20; i++) {
      const items = Array.from({ length: 50 }, () => directIssue({ ...terms, quantity: 1 }));
      accepted('IssueBatch', await call(url, 'IssueBatch', { items }, partner));
      committed.emit(partner.clientId);
    }
  };
  await Promise.all([work(), work(), work(rival)]);
  await assertActivityHolds(sql);
  assert.deepEqual(faults, []);
  // Events that can't be counted: their partner has no other rows.
  await sql.query(`INSERT INTO event_heads VALUES (77, 1)`);
  await sql.query(
    `INSERT INTO event_batches VALUES (77, 1, 1, now(), '[{"type": "freebet.issued", "freeBet": {"currency": null}}]')`,
  );
  await until('it is reported', 5000, () => faults.length > 0);
  await work();
  await until('the others are counted', 5000, async () => {
    const { rows } = await sql.query(
      'SELECT client_id FROM event_heads h JOIN activity_heads a USING (client_id) WHERE position < last_sequence',
    );
    return rows.length === 1 && rows[0].client_id === 77;
  });
  await sql.query('DELETE FROM event_batches WHERE client_id = 77');
  await sql.query('DELETE FROM event_heads WHERE client_id = 77');
  await Promise.all(readers.map((reader) => reader.stop()));
  await pool.end();
  await assertActivityHolds(sql);
});

test('a server started later counts what it finds, and a partner with no events has no rows', async () => {
  const other = await testDatabase();
  const idle = await testServer({ ...other.env, WORKER: 'off' });
  const items = Array.from({ length: 300 }, () => directIssue());
  for (let i = 0; i < 3; i++) accepted('IssueBatch', await call(idle.url, 'IssueBatch', { items }));
  assert.deepEqual(await activityRows(other.sql), []);
  const { rows: lagging } = await other.sql.query('SELECT client_id FROM activity_heads');
  assert.deepEqual(lagging, []);
  const working = await testServer(other.env);
  await allCounted(other.sql);
  await assertActivityHolds(other.sql);
  const { rows } = await other.sql.query('SELECT DISTINCT client_id FROM activity');
  assert.deepEqual(rows, [{ client_id: 1 }]);
  const metrics = await (await fetch(`${working.url}/metrics`)).text();
  assert.match(metrics, /^freebets_activity_lag_seconds 0$/m);
});
