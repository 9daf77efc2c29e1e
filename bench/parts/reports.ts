import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { readActivityLag } from '../../packages/server/src/sql/activity.ts';
import { acceptedStaffCall, signedIn } from '../../test/support/staff.ts';
import { type Bench, describe, find, rounds, say, seconds } from '../bench.ts';
import { createCampaign, issueRequests } from '../bodies.ts';
import { median } from '../report.ts';
import { databaseUrl, query, startOnNew } from '../server.ts';

/** What five million free bets and as many bets leave behind in a month: so many rows, of each hour. */
const campaigns = 50;
const games = 20;
const [from, until] = ['2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'];

// Not every game is played in every hour in every campaign; half of them are.
const seed = `INSERT INTO activity
  SELECT 1, h, 'campaign-' || c, currency, '', '', 3, 0, 1, 0, 0, 0, 0
  FROM generate_series('${from}'::timestamptz, '${until}'::timestamptz - interval '1 hour', '1 hour') h,
    generate_series(1, ${campaigns}) c, unnest(ARRAY['EUR', 'USD', 'BRL']) currency
  UNION ALL
  SELECT 1, h, 'campaign-' || c, currency, 'game-' || g, 'provider-' || g % 4, 0, 0, 0, 3, 3, 300, 250 + g
  FROM generate_series('${from}'::timestamptz, '${until}'::timestamptz - interval '1 hour', '1 hour') h,
    generate_series(1, ${campaigns}) c, unnest(ARRAY['EUR', 'USD', 'BRL']) currency, generate_series(1, ${games}) g
  WHERE (extract(hour FROM h)::int + c + g) % 2 = 0
  ORDER BY 2`;

const wanted = [['campaign'], ['game'], ['provider'], ['currency'], ['day']];
/** As long as a report can become: 100,000 rows, of which a page is shown. */
const longest = ['campaign', 'game', 'day'];

/** How long the report of a month takes, and how far the reader of the feed is behind under load. */
export async function reports(bench: Bench): Promise<void> {
  const server = await startOnNew(bench.socketDir, 'reports');
  const sql = new pg.Pool({ connectionString: databaseUrl(bench.socketDir, 'reports'), max: 2 });
  try {
    await lagUnderLoad(bench, server, sql);
    const { rowCount } = await query(bench.socketDir, 'reports', seed);
    await query(bench.socketDir, 'reports', 'VACUUM (ANALYZE) activity');
    say(`${rowCount?.toLocaleString('en')} rows of activity`);
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
