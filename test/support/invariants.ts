import assert from 'node:assert/strict';
import type pg from 'pg';

// Invariants of the rows after any requests, in any order, and after kills. They compare the stored counts with the
// free bets, and limits that never changed with the counts. Each statement selects violations, so it must find none.

const wrongCampaigns = `
  SELECT c.client_id, c.campaign_id, c.bonus_limit, s.issued, s.cancelled, f.issued AS really_issued,
    f.cancelled AS really_cancelled
  FROM campaigns c LEFT JOIN campaign_states s USING (client_id, campaign_id)
  CROSS JOIN LATERAL (SELECT count(*) AS issued, count(cancelled_at) AS cancelled FROM free_bets f
    WHERE f.client_id = c.client_id AND f.campaign_id = c.campaign_id) f
  WHERE s.issued IS DISTINCT FROM f.issued OR s.cancelled IS DISTINCT FROM f.cancelled
    OR (s.limits_changed_at IS NULL AND f.issued - f.cancelled > c.bonus_limit)`;

const wrongPlayers = `
  WITH really AS (SELECT client_id, campaign_id, player_id, count(*) AS held
    FROM free_bets WHERE campaign_id IS NOT NULL AND cancelled_at IS NULL GROUP BY 1, 2, 3)
  SELECT client_id, campaign_id, player_id, c.bonus_limit_per_user, p.held, r.held AS really_held
  FROM campaign_players p FULL JOIN really r USING (client_id, campaign_id, player_id)
  JOIN campaigns c USING (client_id, campaign_id) JOIN campaign_states s USING (client_id, campaign_id)
  WHERE (c.bonus_limit_per_user IS NOT NULL OR (s.limits_changed_at IS NOT NULL AND p.held IS NOT NULL))
    AND (coalesce(p.held, 0) <> coalesce(r.held, 0)
      OR (s.limits_changed_at IS NULL AND coalesce(r.held, 0) > c.bonus_limit_per_user))
  UNION ALL
  SELECT p.client_id, p.campaign_id, p.player_id, NULL, p.held, NULL
  FROM campaign_players p JOIN campaigns c USING (client_id, campaign_id) JOIN campaign_states s USING (client_id, campaign_id)
  WHERE c.bonus_limit_per_user IS NULL AND s.limits_changed_at IS NULL`;

const orphans = `
  SELECT client_id, issue_id, campaign_id FROM free_bets f WHERE campaign_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM campaigns c WHERE c.client_id = f.client_id AND c.campaign_id = f.campaign_id)`;

/** Asserts that the counts match the free bets, no limit is exceeded, and every campaign exists. */
export async function assertCountsHold(sql: pg.Pool): Promise<void> {
  for (const statement of [wrongCampaigns, wrongPlayers, orphans]) {
    const { rows } = await sql.query(statement);
    assert.deepEqual(rows, [], 'counts that do not hold');
  }
}
