import assert from 'node:assert/strict';
import type pg from 'pg';
import { call, type Partner } from './caller.ts';
import { assertCountsHold } from './invariants.ts';

// Invariants of bets after any requests, in any order, on any number of servers. They compare the stored counts with
// the bets. Each statement selects violations, so it must find none.

const standing = `standing AS (
  SELECT client_id, issue_id, count(*) AS placed, count(*) FILTER (WHERE state <> 'placed') AS settled,
    coalesce(sum(win_amount), 0) AS won
  FROM bets WHERE issue_id IS NOT NULL AND state <> 'rolled_back' GROUP BY 1, 2)`;

const wrongFreeBets = `
  WITH ${standing}
  SELECT f.client_id, f.issue_id, f.quantity, f.bets_placed, f.bets_settled, f.cancelled_at, s.placed, s.settled
  FROM free_bets f LEFT JOIN standing s USING (client_id, issue_id)
  WHERE f.bets_placed <> coalesce(s.placed, 0) OR f.bets_settled <> coalesce(s.settled, 0)
    OR coalesce(s.placed, 0) > f.quantity OR (f.cancelled_at IS NOT NULL AND s.placed > 0)`;

const wrongBets = `
  SELECT b.* FROM bets b LEFT JOIN free_bets f USING (client_id, issue_id)
  WHERE (b.state <> 'rolled_back' AND f.issue_id IS NULL)
    OR (b.state IN ('placed', 'rolled_back')) <> (b.settled_at IS NULL)
    OR (b.state IN ('placed', 'rolled_back')) <> (b.win_amount IS NULL)
    OR (b.state = 'won') <> (b.settled_coefficient IS NOT NULL)
    OR (b.state = 'lost' AND b.win_amount <> 0) OR b.win_amount < 0
    OR b.placed_at < f.valid_from OR b.placed_at >= f.expires_at OR b.settled_at < b.placed_at
    OR b.remaining < 0 OR b.remaining >= f.quantity`;

const wrongStates = `
  WITH ${standing}, really AS (
    SELECT f.client_id, f.campaign_id, count(*) AS issued, count(f.cancelled_at) AS cancelled,
      count(*) FILTER (WHERE f.swept AND f.cancelled_at IS NULL AND coalesce(s.placed, 0) < f.quantity) AS expired,
      count(*) FILTER (WHERE s.settled = f.quantity) AS finished, coalesce(sum(s.placed), 0) AS bets_placed
    FROM free_bets f LEFT JOIN standing s USING (client_id, issue_id) GROUP BY 1, 2)
  SELECT c.*, r.issued AS really_issued, r.cancelled AS really_cancelled, r.expired AS really_expired,
    r.finished AS really_finished, r.bets_placed AS really_placed
  FROM campaign_states c LEFT JOIN really r USING (client_id, campaign_id)
  WHERE (c.issued, c.cancelled, c.expired, c.finished, c.bets_placed) IS DISTINCT FROM
    (coalesce(r.issued, 0), coalesce(r.cancelled, 0), coalesce(r.expired, 0), coalesce(r.finished, 0),
     coalesce(r.bets_placed, 0))`;

const wrongTotals = `
  WITH ${standing}, really AS (
    SELECT f.client_id, f.campaign_id, f.currency, coalesce(sum(s.won), 0) AS winnings,
      coalesce(sum(CASE WHEN f.swept THEN 0 ELSE f.quantity - coalesce(s.placed, 0) END
        + coalesce(s.placed - s.settled, 0)) FILTER (WHERE f.cancelled_at IS NULL), 0) AS open_bets
    FROM free_bets f LEFT JOIN standing s USING (client_id, issue_id)
    WHERE f.campaign_id IS NOT NULL GROUP BY 1, 2, 3)
  SELECT client_id, campaign_id, currency, t.open_bets, t.winnings, r.open_bets AS really_open, r.winnings AS really_won
  FROM campaign_totals t FULL JOIN really r USING (client_id, campaign_id, currency)
  WHERE t.open_bets IS DISTINCT FROM coalesce(r.open_bets, 0) OR t.winnings IS DISTINCT FROM coalesce(r.winnings, 0)`;

/**
 * Asserts that every free bet has the number of bets that it stores, and that the counts of every campaign match its
 * free bets and bets.
 */
export async function assertRoundsHold(sql: pg.Pool): Promise<void> {
  for (const statement of [wrongFreeBets, wrongBets, wrongStates, wrongTotals]) {
    const { rows } = await sql.query(statement);
    assert.deepEqual(rows.slice(0, 5), [], `${rows.length} rows that do not hold`);
  }
  await assertCountsHold(sql);
}

interface Listed {
  status: string;
  quantity: number;
  remaining: number;
}

/** Over HTTP: the counts of a campaign match the list of its free bets. */
export async function assertCampaignAddsUp(url: string, campaign_id: string, partner?: Partner): Promise<void> {
  const freeBets: Listed[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const filter = { campaign_id, limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const { status, body, text } = await call(url, 'FreeBetList', filter, partner);
    assert.equal(status, 200, text);
    freeBets.push(...body.free_bets);
    cursor = body.next_cursor;
  }
  const { body } = await call(url, 'CampaignGet', { campaign_id }, partner);
  const inStatus = (status: string) => freeBets.filter((freeBet) => freeBet.status === status).length;
  assert.deepEqual(body.counts, {
    issued: freeBets.length,
    cancelled: inStatus('cancelled'),
    expired: inStatus('expired'),
    finished: inStatus('finished'),
    bets_placed: freeBets.reduce((sum, { quantity, remaining }) => sum + quantity - remaining, 0),
  });
}

/** Over HTTP: the bets of a free bet plus its remaining bets are its quantity. */
export async function assertFreeBetAddsUp(url: string, issue_id: string, partner?: Partner): Promise<void> {
  const { status, body, text } = await call(url, 'FreeBetGet', { issue_id }, partner);
  assert.equal(status, 200, text);
  assert.equal(body.bets.length + body.remaining, body.quantity, text);
}
