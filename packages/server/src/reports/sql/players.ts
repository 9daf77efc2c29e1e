import { partnerNow } from '../../engine/clock.ts';
import { named, type Statement, withCustomPlan } from '../../engine/statement.ts';
import type { Instant } from '../../primitives/amounts.ts';

// Players exist only through their free bets. `bet_amount > 0` is true for every row and selects the index by player.

export interface PlayerQuery {
  prefix: string;
  after: string | null;
  limit: number;
}

export interface PlayerRow {
  player_id: string;
  last_issued_at: Instant;
}

const next = (condition: string) => `(SELECT f.player_id FROM free_bets f
  WHERE f.client_id = $1 AND f.bet_amount > 0 AND ${condition} ORDER BY f.player_id LIMIT 1)`;

// Jumps from one player to the next, regardless of how many free bets each has. In byte order, ids with the same prefix
// are adjacent.
const search = named<PlayerRow>(
  'search_players',
  `WITH RECURSIVE players(player_id, place) AS (
     SELECT CASE WHEN $3::text IS NULL THEN ${next('f.player_id >= $2')} ELSE ${next('f.player_id > $3')} END, 1
     UNION ALL
     SELECT ${next('f.player_id > p.player_id')}, p.place + 1 FROM players p
     WHERE p.player_id IS NOT NULL AND starts_with(p.player_id, $2) AND p.place < $4)
   SELECT p.player_id, f.issued_at AS last_issued_at FROM players p CROSS JOIN LATERAL (
     SELECT f.issued_at FROM free_bets f WHERE f.client_id = $1 AND f.bet_amount > 0 AND f.player_id = p.player_id
     ORDER BY f.issued_at DESC LIMIT 1) f
   WHERE starts_with(p.player_id, $2) ORDER BY p.place`,
);

/** Ordered by id. */
export const searchPlayers = (clientId: number, { prefix, after, limit }: PlayerQuery): Statement<PlayerRow[]> =>
  withCustomPlan(search([clientId, prefix, after, limit]));

export interface PlayerTotalsRow {
  currency: string;
  issued: number;
  cancelled: number;
  expired: number;
  finished: number;
  open: number;
  bets: number;
  bets_left: number;
  staked: string;
  won: string;
  last_issued_at: Instant;
  /** The number of free bets read, in all currencies. */
  walked: number;
}

/** The totals cover this many of a player's latest free bets. */
export const maxFreeBetsRead = 2000;

const sum = named<PlayerTotalsRow>(
  'player_totals',
  `WITH clock AS MATERIALIZED (SELECT ${partnerNow('$1')} AS now),
   latest AS MATERIALIZED (
     SELECT f.* FROM free_bets f WHERE f.client_id = $1 AND f.bet_amount > 0 AND f.player_id = $2
     ORDER BY f.issued_at DESC LIMIT ${maxFreeBetsRead + 1}),
   known AS MATERIALIZED (
     SELECT f.currency, f.issued_at, f.bets_placed, f.bets_placed * f.bet_amount AS staked, f.quantity - f.bets_placed AS "left",
       free_bet_status(f.quantity, f.bets_placed, f.bets_settled, f.swept, f.valid_from, f.expires_at, f.cancelled_at, clock.now)
         AS status,
       CASE WHEN f.bets_settled > 0 THEN (
         SELECT sum(b.win_amount) FROM bets b WHERE b.client_id = $1 AND b.standing_issue_id = f.issue_id) END AS won
     FROM (SELECT * FROM latest ORDER BY issued_at DESC LIMIT ${maxFreeBetsRead}) f CROSS JOIN clock)
   SELECT currency, count(*) AS issued, count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
     count(*) FILTER (WHERE status = 'expired') AS expired, count(*) FILTER (WHERE status = 'finished') AS finished,
     count(*) FILTER (WHERE status IN ('issued', 'active', 'in_use')) AS open, sum(bets_placed)::bigint AS bets,
     coalesce(sum("left") FILTER (WHERE status IN ('issued', 'active', 'in_use')), 0)::bigint AS bets_left,
     sum(staked)::text AS staked, coalesce(sum(won), 0)::text AS won, max(issued_at) AS last_issued_at,
     (SELECT count(*) FROM latest) AS walked
   FROM known GROUP BY 1 ORDER BY 1`,
);

export const readPlayerTotals = (clientId: number, playerId: string): Statement<PlayerTotalsRow[]> =>
  withCustomPlan(sum([clientId, playerId]));
