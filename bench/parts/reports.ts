import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { readActivityLag } from '../../packages/server/src/events/activity/sql.ts';
import { acceptedStaffCall, signedIn } from '../../test/support/staff.ts';
import { type Bench, describe, find, rounds, say, seconds } from '../bench.ts';
import { createCampaign, issueRequests } from '../bodies.ts';
import { fill } from '../fill.ts';
import { median } from '../report.ts';
import { databaseUrl, query, startOnNew } from '../server.ts';

const stored = 5_000_000;
const [from, until] = ['2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z'];

// Fifty campaigns of ten days each over the month, in three currencies and twenty games with different popularity.
const at = `timestamptz '${from}' + (i % 50) * interval '580 minutes' + i * 7919::bigint % 864000 * interval '1 second'`;
const freeBets = `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity,
    valid_from, issued_at, expires_at, content_hash, bets_placed, bets_settled)
  SELECT 1, md5(i::text)::uuid, 'campaign-' || i % 50, 'player-' || i % 400000, (ARRAY['EUR', 'USD', 'BRL'])[1 + i / 50 % 3],
    100 + i % 7, 1, ${at}, ${at}, ${at} + interval '30 days', decode(md5(i::text), 'hex'), 1, 1
  FROM generate_series(1, ${stored}) AS i ORDER BY 2`;
const bets = `INSERT INTO bets (client_id, provider_id, bet_id, state, issue_id, game_id, remaining, placed_at,
    settled_coefficient, win_amount, settled_at, content_hash)
  SELECT 1, 'provider-' || game % 4, issue_id, 'won', issue_id, 'game-' || game, 0, placed_at, 10000 + game,
    100 + game, placed_at + interval '1 minute', content_hash
  FROM (SELECT issue_id, issued_at + interval '5 minutes' AS placed_at, content_hash,
      (20 * (get_byte(content_hash, 0) / 256.0) ^ 2)::int AS game
    FROM free_bets WHERE client_id = 1 AND issued_at < '${until}') AS used
  ORDER BY 2, 3`;

const wanted = [['campaign'], ['game'], ['provider'], ['currency'], ['day']];
/** The longest report: 100,000 rows, of which one page is read. */
const longest = ['campaign', 'game', 'day'];

/** The time of a monthly report, and the delay of the activity counts under load. */
export async function reports(bench: Bench): Promise<void> {
  const server = await startOnNew(bench.socketDir, 'reports');
  const sql = new pg.Pool({ connectionString: databaseUrl(bench.socketDir, 'reports'), max: 2 });
  try {
    await lagUnderLoad(bench, server, sql);
    say(`storing ${stored.toLocaleString('en')} free bets and their bets …`);
    await fill(bench.socketDir, 'reports', 'free_bets', freeBets);
    await fill(bench.socketDir, 'reports', 'bets', bets);
    await server.command('report', 'rebuild', '--client', '1', '--reason', 'Rows that were never events');
    await server.command('report', 'verify', '--client', '1');
    await query(bench.socketDir, 'reports', 'VACUUM (ANALYZE) activity');
    const { rows } = await query(bench.socketDir, 'reports', 'SELECT count(*)::int FROM activity WHERE client_id = 1');
    say(`${rows[0].count.toLocaleString('en')} rows of activity`);
    const manager = await signedIn(sql, 'manager');
    const url = `http://127.0.0.1:${server.port}`;
    const timeOf = async (by: string[]) => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const began = performance.now();
        const body = { client_id: 1, from, until, by, time_zone: 'Europe/Berlin' };
        await acceptedStaffCall(url, '/Report/Get', body, manager);
        times.push((performance.now() - began) / 1000);
      }
      say(`by ${by.join(', ')}: ${median(times).toFixed(2)} s`);
      return median(times);
    };
    const slowest: number[] = [];
    for (const by of wanted) slowest.push(await timeOf(by));
    await timeOf(longest);
    find(bench, {
      part: 'reports',
      what: 'The slowest report of a month',
      unit: 's',
      value: Math.max(...slowest),
      against: 'what it may take',
      base: 2,
      most: 1,
    });
  } finally {
    await sql.end();
    await server.stop();
  }
}

async function lagUnderLoad(bench: Bench, server: Awaited<ReturnType<typeof startOnNew>>, sql: pg.Pool): Promise<void> {
  await createCampaign(server);
  let isOver = false;
  const lags: number[] = [];
  const watching = (async () => {
    while (!isOver) {
      lags.push(Number(await readActivityLag(sql)));
      await delay(50);
    }
  })();
  const load = {
    port: server.port,
    operation: 'Issue',
    requests: issueRequests(4 * seconds),
    connections: 64,
  } as const;
  describe('Issue while it is counted', await bench.runLoad({ ...load, seconds: 4 * seconds }));
  isOver = true;
  await watching;
  find(bench, {
    part: 'reports',
    what: 'How far the activity is behind under load, at most',
    unit: 's',
    value: Math.max(...lags),
    against: 'what it may be',
    base: 5,
    most: 1,
  });
}
