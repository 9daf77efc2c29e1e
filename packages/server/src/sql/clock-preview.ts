import assert from 'node:assert/strict';
import { named, plannedAnew, type Statement } from '../db/statement.ts';
import { formatInstant, type Instant } from '../domain/amounts.ts';

// What happens between two times of a partner, if nobody does anything. Rows are walked along the indexes of these times, and no more
// than can be counted.

/** Rows that are walked. */
export const mostCounted = 10_000;
const mostShown = 10;

export interface ExpiringRow {
  issue_id: string;
  player_id: string;
  campaign_id: string | null;
  expires_at: Instant;
}

export interface TurningRow {
  campaign_id: string;
  name: string;
  what: 'begins' | 'ends';
  at: Instant;
}

/** One more than can be counted tells that there are more. */
export interface ClockPreview {
  expire: number;
  /** Of these, and of what has nothing left to expire. */
  walked: number;
  expiring: ExpiringRow[];
  begin: number;
  end: number;
  turning: TurningRow[];
}

const turning = (what: TurningRow['what'], column: string) => `
  SELECT c.campaign_id, c.name, '${what}' AS what, c.${column} AS at
  FROM campaigns c JOIN campaign_states s USING (client_id, campaign_id)
  WHERE client_id = $1 AND c.quantity > 0 AND c.${column} > $2 AND c.${column} <= $3 AND s.stopped_at IS NULL
  ORDER BY c.${column}, c.campaign_id LIMIT ${mostCounted + 1}`;

const preview = named(
  'preview_clock',
  // What was cancelled or used up stays among them until its time: it is walked too, and not counted.
  `WITH walked AS MATERIALIZED (
     SELECT f.issue_id, f.player_id, f.campaign_id, f.expires_at, f.cancelled_at IS NULL AND f.bets_placed < f.quantity AS is_left
     FROM free_bets f WHERE f.client_id = $1 AND NOT f.swept AND f.expires_at > $2 AND f.expires_at <= $3
     ORDER BY f.expires_at LIMIT ${mostCounted + 1}),
   expiring AS MATERIALIZED (SELECT * FROM walked WHERE is_left),
   begins AS MATERIALIZED (${turning('begins', 'valid_from')}),
   ends AS MATERIALIZED (${turning('ends', 'valid_until')})
   SELECT (SELECT count(*) FROM expiring) AS expire, (SELECT count(*) FROM walked) AS walked, (SELECT count(*) FROM begins) AS begin, (SELECT count(*) FROM ends) AS end,
     (SELECT coalesce(json_agg(e), '[]') FROM (
        SELECT issue_id, player_id, campaign_id, (extract(epoch FROM expires_at) * 1000)::bigint AS expires_at
        FROM expiring ORDER BY expiring.expires_at, issue_id LIMIT ${mostShown}) e) AS expiring,
     (SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT campaign_id, name, what, (extract(epoch FROM at) * 1000)::bigint AS at
        FROM (TABLE begins UNION ALL TABLE ends) b ORDER BY b.at, campaign_id LIMIT ${mostShown}) t) AS turning`,
  ([row]: ClockPreview[]) => {
    assert(row, 'a SELECT without FROM has one row');
    return row;
  },
);

export const previewClock = (clientId: number, now: Instant, to: Instant): Statement<ClockPreview> =>
  plannedAnew(preview([clientId, formatInstant(now), formatInstant(to)]));
