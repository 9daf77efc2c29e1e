import assert from 'node:assert/strict';
import type pg from 'pg';
import { until } from './waiting.ts';

// Compares the activity counts with the sums of the rows, hour by hour. No row stores when an expiry was found, so
// expiries are compared without the hour.

const measures = 'issued, cancelled, expired, bets, settled, staked, won';

const really = `
  SELECT client_id, date_trunc('hour', issued_at) AS hour, coalesce(campaign_id, '') AS campaign_id, currency, '' AS game_id,
    '' AS provider_id, 1 AS issued, 0 AS cancelled, 0 AS expired, 0 AS bets, 0 AS settled, 0 AS staked, 0 AS won FROM free_bets
  UNION ALL
  SELECT client_id, date_trunc('hour', cancelled_at), coalesce(campaign_id, ''), currency, '', '', 0, 1, 0, 0, 0, 0, 0
  FROM free_bets WHERE cancelled_at IS NOT NULL
  UNION ALL
  SELECT client_id, NULL, coalesce(campaign_id, ''), currency, '', '', 0, 0, 1, 0, 0, 0, 0
  FROM free_bets WHERE cancelled_at IS NULL AND swept AND bets_placed < quantity
  UNION ALL
  SELECT b.client_id, date_trunc('hour', b.placed_at), coalesce(campaign_id, ''), currency, game_id, provider_id,
    0, 0, 0, 1, 0, bet_amount, 0
  FROM bets b JOIN free_bets f USING (client_id, issue_id) WHERE state IN ('placed', 'won', 'lost')
  UNION ALL
  SELECT b.client_id, date_trunc('hour', b.settled_at), coalesce(campaign_id, ''), currency, game_id, provider_id,
    0, 0, 0, 0, 1, 0, win_amount
  FROM bets b JOIN free_bets f USING (client_id, issue_id) WHERE state IN ('won', 'lost')`;

const counted = `
  SELECT client_id, hour, campaign_id, currency, game_id, provider_id, issued, cancelled, 0 AS expired, bets, settled, staked, won
  FROM activity
  UNION ALL
  SELECT client_id, NULL, campaign_id, currency, game_id, provider_id, 0, 0, expired, 0, 0, 0, 0 FROM activity`;

const sumsOf = (rows: string) => `
  SELECT client_id, hour, campaign_id, currency, game_id, provider_id,
    ${measures
      .split(', ')
      .map((name) => `sum(${name})::numeric AS ${name}`)
      .join(', ')}
  FROM (${rows}) r GROUP BY 1, 2, 3, 4, 5, 6
  HAVING (${measures
    .split(', ')
    .map((name) => `sum(${name})`)
    .join(', ')}) <> (0, 0, 0, 0, 0, 0, 0)`;

const wrong = `
  WITH really AS (${sumsOf(really)}), counted AS (${sumsOf(counted)})
  (SELECT 'counted' AS as, * FROM (TABLE counted EXCEPT TABLE really) c)
  UNION ALL (SELECT 'really', * FROM (TABLE really EXCEPT TABLE counted) r)`;

const negative = `SELECT * FROM activity WHERE least(${measures}) < 0`;

const behind = `SELECT FROM event_heads h LEFT JOIN activity_heads a USING (client_id)
  WHERE h.last_sequence IS DISTINCT FROM coalesce(a.position, 0)`;

/** Waits until everything is counted; returns how long that took. */
export const allCounted = (sql: pg.Pool): Promise<number> =>
  until('all is counted', 10_000, async () => (await sql.query(behind)).rows.length === 0);

/** Asserts that nothing is counted twice or left out. */
export async function assertActivityHolds(sql: pg.Pool): Promise<void> {
  await allCounted(sql);
  for (const statement of [wrong, negative]) {
    const { rows } = await sql.query(statement);
    assert.deepEqual(rows.slice(0, 5), [], `${rows.length} rows that do not hold`);
  }
}

/** All rows of the report, in order. */
export const activityRows = async (sql: pg.Pool): Promise<unknown[]> =>
  (
    await sql.query(
      'SELECT a::text AS row FROM activity a ORDER BY client_id, hour, campaign_id, currency, game_id, provider_id',
    )
  ).rows;
