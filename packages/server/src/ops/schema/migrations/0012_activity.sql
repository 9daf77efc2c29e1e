-- compatible
-- What happens, hour by hour: made from the events of each partner, by a reader that stores in the same transaction how far it has
-- come. The hour is that of the partner's business time. Free bets belong to no game; bets do.
CREATE TABLE activity (
  client_id    int NOT NULL,
  hour         timestamptz NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,           -- '' for free bets without one
  currency     text COLLATE "C" NOT NULL,
  game_id      text COLLATE "C" NOT NULL,           -- '' for what has no game
  provider_id  text COLLATE "C" NOT NULL,           -- likewise
  issued       bigint NOT NULL,
  cancelled    bigint NOT NULL,
  expired      bigint NOT NULL,
  bets         bigint NOT NULL,                     -- that stand, in the hour in which they were placed
  settled      bigint NOT NULL,
  staked       numeric NOT NULL,                    -- in cents: the amounts of those bets
  won          numeric NOT NULL,                    -- in cents
  PRIMARY KEY (client_id, hour, campaign_id, currency, game_id, provider_id)
) WITH (fillfactor = 90);

-- How far the events of a partner are counted. Whoever counts has the lock on the row.
CREATE TABLE activity_heads (
  client_id  int PRIMARY KEY,
  position   bigint NOT NULL                        -- the number of the last event that is counted
) WITH (fillfactor = 10);

-- The same from the rows themselves, for what the feed does not hold any more, and to hold the two against each other. When
-- a free bet was found to have expired is not in its row: it counts in the hour in which its time came.
CREATE FUNCTION activity_in_rows(client int) RETURNS TABLE (
  hour timestamptz, campaign_id text, currency text, game_id text, provider_id text,
  issued bigint, cancelled bigint, expired bigint, bets bigint, settled bigint, staked numeric, won numeric
) LANGUAGE sql STABLE AS $$
  SELECT date_trunc('hour', m.at, 'UTC'), coalesce(f.campaign_id, ''), f.currency, '', '',
    sum(m.issued), sum(m.cancelled), sum(m.expired), 0, 0, 0, 0
  FROM free_bets f CROSS JOIN LATERAL (VALUES
    (f.issued_at, 1, 0, 0),
    (f.cancelled_at, 0, 1, 0),
    (CASE WHEN f.swept AND f.cancelled_at IS NULL AND f.bets_placed < f.quantity THEN f.expires_at END, 0, 0, 1)
  ) AS m (at, issued, cancelled, expired)
  WHERE f.client_id = client AND m.at IS NOT NULL
  GROUP BY 1, 2, 3
  UNION ALL
  SELECT date_trunc('hour', m.at, 'UTC'), coalesce(f.campaign_id, ''), f.currency, b.game_id, b.provider_id,
    0, 0, 0, sum(m.placed), sum(m.settled), sum(m.placed * f.bet_amount), sum(m.settled * coalesce(b.win_amount, 0))
  FROM bets b JOIN free_bets f ON f.client_id = b.client_id AND f.issue_id = b.issue_id
  CROSS JOIN LATERAL (VALUES (b.placed_at, 1, 0), (b.settled_at, 0, 1)) AS m (at, placed, settled)
  WHERE b.client_id = client AND b.state <> 'rolled_back' AND m.at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5
$$;

-- What has happened until here. Rows and numbers are those of one moment, whoever goes on writing.
WITH heads AS (
  INSERT INTO activity_heads
  SELECT client_id, coalesce(h.last_sequence, 0) FROM partners LEFT JOIN event_heads h USING (client_id) ORDER BY 1
  RETURNING client_id)
INSERT INTO activity SELECT h.client_id, a.* FROM heads h CROSS JOIN LATERAL activity_in_rows(h.client_id) a;
