-- The service's clock. Every statement that asks for the time asks this function, so that all servers agree on it, and
-- a test can put its own clock in its place. Time is kept to the millisecond, as it is written in answers.
CREATE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$;

-- Small tables that every server keeps in memory --------------------------------------------------------------------

CREATE TABLE partners (
  client_id        int PRIMARY KEY CHECK (client_id > 0),
  name             text NOT NULL,
  secret           bytea NOT NULL,           -- encrypted under the master key
  previous_secret  bytea,                    -- still valid during a rotation
  disabled_at      timestamptz,
  created_at       timestamptz NOT NULL DEFAULT service_now()
);

CREATE TABLE providers (
  provider_id      text COLLATE "C" PRIMARY KEY,
  name             text NOT NULL CONSTRAINT providers__name_is_unique UNIQUE,
  currencies       text[] NOT NULL,
  secret           bytea,                    -- none until the first rotate-secret when an import made the provider
  previous_secret  bytea,
  position         int NOT NULL DEFAULT 0,   -- order in the catalogue
  created_at       timestamptz NOT NULL DEFAULT service_now()
);

CREATE TABLE games (
  game_id       text COLLATE "C" PRIMARY KEY,
  provider_id   text COLLATE "C" NOT NULL REFERENCES providers,
  title         text NOT NULL,
  category      text NOT NULL,
  promo_types   text[] NOT NULL,
  images        json NOT NULL,
  position      int NOT NULL,
  withdrawn_at  timestamptz                  -- games are withdrawn, never deleted: free bets name them
);

CREATE TABLE offers (
  client_id    int NOT NULL REFERENCES partners,
  provider_id  text COLLATE "C" NOT NULL REFERENCES providers,
  PRIMARY KEY (client_id, provider_id)
);

-- One row. `version` grows with every change to the tables above, in the same transaction; servers watch it.
CREATE TABLE reference (
  only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version       bigint NOT NULL DEFAULT 1,
  image_assets  json
);
INSERT INTO reference DEFAULT VALUES;

-- Tables that grow. client_id leads every key, so that they can be distributed by it --------------------------------
--
-- The lanes look rows up by primary key, and must never be given another index for it because the planner believes that
-- a partner has few rows: on a table not analysed yet it walked the whole of an index that began with client_id, and 64
-- connections fell from 2,000 issues a second to 1,000 within 30,000 rows. So the indexes for lists have a condition that
-- is true of every row (quantity > 0), and only the statements of lists name it.

-- What was promised; a row never changes.
CREATE TABLE campaigns (
  client_id             int NOT NULL,
  campaign_id           text COLLATE "C" NOT NULL,
  name                  text NOT NULL,
  quantity              int NOT NULL,
  games                 text[] NOT NULL,
  bet_amounts           json NOT NULL,        -- [[currency, cents], …] in the order given
  valid_from            timestamptz NOT NULL,
  valid_until           timestamptz NOT NULL,
  duration_min          int,
  bonus_limit           int,
  bonus_limit_per_user  int,
  min_coefficient       bigint,               -- in ten-thousandths
  max_coefficient       bigint,
  content_hash          bytea NOT NULL,       -- tells a repeated request from another one under the same id
  created_at            timestamptz NOT NULL,
  PRIMARY KEY (client_id, campaign_id)
);
CREATE INDEX campaigns__newest_first ON campaigns (client_id, created_at) WHERE quantity > 0;

-- What has happened to it. Its row is the lock that makes the limits exact. Half-empty pages keep its many updates
-- on one page without touching an index.
CREATE TABLE campaign_states (
  client_id    int NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  issued       bigint NOT NULL DEFAULT 0,     -- ever, the cancelled among them
  cancelled    bigint NOT NULL DEFAULT 0,
  stopped_at   timestamptz,
  PRIMARY KEY (client_id, campaign_id),
  CONSTRAINT campaign_states__of_a_campaign FOREIGN KEY (client_id, campaign_id) REFERENCES campaigns,
  CONSTRAINT campaign_states__counts_are_possible CHECK (cancelled BETWEEN 0 AND issued)
) WITH (fillfactor = 50);

-- Places a player holds in a campaign that limits them; guarded by the lock on campaign_states.
CREATE TABLE campaign_players (
  client_id    int NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  player_id    text COLLATE "C" NOT NULL,
  held         int NOT NULL CONSTRAINT campaign_players__held_is_possible CHECK (held >= 0),
  PRIMARY KEY (client_id, campaign_id, player_id)
) WITH (fillfactor = 80);

CREATE TABLE free_bets (
  client_id     int NOT NULL,
  issue_id      uuid NOT NULL,
  campaign_id   text COLLATE "C",
  player_id     text COLLATE "C" NOT NULL,
  currency      text COLLATE "C" NOT NULL,
  bet_amount    bigint NOT NULL CHECK (bet_amount > 0),   -- in cents
  quantity      int NOT NULL CHECK (quantity > 0),
  terms         json,                                     -- only of a free bet without campaign
  valid_from    timestamptz NOT NULL,
  issued_at     timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  cancelled_at  timestamptz,
  content_hash  bytea NOT NULL,
  PRIMARY KEY (client_id, issue_id),
  CONSTRAINT free_bets__of_a_campaign FOREIGN KEY (client_id, campaign_id) REFERENCES campaigns,
  CONSTRAINT free_bets__terms_are_somewhere CHECK ((campaign_id IS NULL) = (terms IS NOT NULL))
) WITH (fillfactor = 90);
-- Without the id behind the time, the rows of one batch share an entry, and the indexes stay small.
CREATE INDEX free_bets__newest_first ON free_bets (client_id, issued_at) WHERE quantity > 0;
CREATE INDEX free_bets__of_player ON free_bets (client_id, player_id, issued_at) WHERE quantity > 0;
CREATE INDEX free_bets__of_campaign ON free_bets (client_id, campaign_id, issued_at) WHERE quantity > 0;

-- The status that time and facts give, for lists filtered by it. A test holds it equal to the rules in the code.
CREATE FUNCTION free_bet_status(
  valid_from timestamptz, expires_at timestamptz, cancelled_at timestamptz, now timestamptz
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN now >= expires_at THEN 'expired'
    WHEN now < valid_from THEN 'issued'
    ELSE 'active'
  END $$;

CREATE FUNCTION campaign_status(
  valid_from timestamptz, valid_until timestamptz, stopped_at timestamptz, held bigint, bonus_limit int, now timestamptz
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN stopped_at IS NOT NULL THEN 'stopped'
    WHEN now >= valid_until THEN 'ended'
    WHEN held >= bonus_limit THEN 'exhausted'
    WHEN now < valid_from THEN 'scheduled'
    ELSE 'active'
  END $$;
