-- Partners who pay the stake of a won free bet with its winnings.
ALTER TABLE partners ADD COLUMN stake_returned boolean NOT NULL DEFAULT false;

ALTER TABLE campaign_states
  ADD COLUMN expired      bigint NOT NULL DEFAULT 0,   -- as far as the sweeper has written them down
  ADD COLUMN finished     bigint NOT NULL DEFAULT 0,
  ADD COLUMN bets_placed  bigint NOT NULL DEFAULT 0;   -- that stand

-- Per currency, so that a campaign tells its winnings and exposure without looking at its free bets; guarded by the
-- lock on campaign_states.
CREATE TABLE campaign_totals (
  client_id    int NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  currency     text COLLATE "C" NOT NULL,
  open_bets    bigint NOT NULL,    -- left in free bets that live, and placed but not settled
  winnings     numeric NOT NULL,   -- in cents
  PRIMARY KEY (client_id, campaign_id, currency),
  CONSTRAINT campaign_totals__of_a_campaign FOREIGN KEY (client_id, campaign_id) REFERENCES campaigns,
  CONSTRAINT campaign_totals__are_possible CHECK (open_bets >= 0 AND winnings >= 0)
) WITH (fillfactor = 50);

INSERT INTO campaign_totals
  SELECT c.client_id, c.campaign_id, amount ->> 0, coalesce(sum(f.quantity), 0), 0
  FROM campaigns c
  CROSS JOIN json_array_elements(c.bet_amounts) AS amount
  LEFT JOIN free_bets f
    ON f.client_id = c.client_id AND f.campaign_id = c.campaign_id AND f.currency = amount ->> 0 AND f.cancelled_at IS NULL
  GROUP BY 1, 2, 3;

-- No index names these columns but the sweeper's, and it only `swept`: bets change a row without touching an index.
ALTER TABLE free_bets
  ADD COLUMN bets_placed   int NOT NULL DEFAULT 0,     -- that stand, settled or not
  ADD COLUMN bets_settled  int NOT NULL DEFAULT 0,
  ADD COLUMN swept         boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT free_bets__bets_are_possible
    CHECK (bets_settled >= 0 AND bets_settled <= bets_placed AND bets_placed <= quantity),
  ADD CONSTRAINT free_bets__cancelled_is_unused CHECK (cancelled_at IS NULL OR bets_placed = 0);
CREATE INDEX free_bets__to_sweep ON free_bets (client_id, expires_at) WHERE NOT swept;

CREATE TABLE bets (
  client_id            int NOT NULL,
  provider_id          text COLLATE "C" NOT NULL,
  bet_id               uuid NOT NULL,
  state                text COLLATE "C" NOT NULL CHECK (state IN ('placed', 'won', 'lost', 'rolled_back')),
  issue_id             uuid,                     -- none for a rollback that came before its bet, and so for all below
  game_id              text COLLATE "C",
  coefficient          bigint,                   -- odds that came with the bet, in ten-thousandths
  remaining            int,                      -- what the answer to the bet said
  placed_at            timestamptz,
  settled_coefficient  bigint,                   -- as the settlement asked
  win_amount           numeric,                  -- in cents
  settled_at           timestamptz,
  content_hash         bytea,
  PRIMARY KEY (client_id, provider_id, bet_id),
  CONSTRAINT bets__of_a_free_bet FOREIGN KEY (client_id, issue_id) REFERENCES free_bets
) WITH (fillfactor = 80);
CREATE INDEX bets__of_free_bet ON bets (client_id, issue_id) WHERE issue_id IS NOT NULL;

DROP FUNCTION free_bet_status(timestamptz, timestamptz, timestamptz, timestamptz);
CREATE FUNCTION free_bet_status(
  quantity int, bets_placed int, bets_settled int, swept boolean,
  valid_from timestamptz, expires_at timestamptz, cancelled_at timestamptz, now timestamptz
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN bets_settled = quantity THEN 'finished'
    WHEN (swept OR now >= expires_at) AND bets_placed < quantity THEN 'expired'
    WHEN bets_placed > 0 THEN 'in_use'
    WHEN now < valid_from THEN 'issued'
    ELSE 'active'
  END $$;
