-- Jobs: many free bets from one list. A list comes in parts, each one row however many items it has.

-- What a job is, how far it has come, and who carries it out. Its row is the lock of all that belongs to it.
CREATE TABLE jobs (
  client_id     int NOT NULL,
  job_id        uuid NOT NULL,
  name          text NOT NULL,
  campaign_id   text COLLATE "C",
  shared        json,                          -- what the items of a direct job share
  start_at      timestamptz,
  content_hash  bytea NOT NULL,                -- tells a repeated request from another one under the same id
  created_at    timestamptz NOT NULL,
  parts         int NOT NULL DEFAULT 0,
  items         int NOT NULL DEFAULT 0,
  started_at    timestamptz,
  finished_at   timestamptz,
  stopped_at    timestamptz,
  issued        int NOT NULL DEFAULT 0,        -- items carried out: issued,
  refused       json NOT NULL DEFAULT '{}',    -- or refused, how many with each error
  next_item     int NOT NULL DEFAULT 0,        -- in the first part that is left
  per_second    int,                           -- items carried out lately
  -- One server carries it out at a time. The lease is counted in real time, whatever the service's clock says.
  lease_holder  uuid,
  leased_until  timestamptz,
  -- Left open for too long: it goes as soon as its parts are gone.
  abandoned     boolean NOT NULL DEFAULT false,
  -- Nothing is left of its parts.
  cleared       boolean NOT NULL DEFAULT false,
  begins_at     timestamptz GENERATED ALWAYS AS (CASE WHEN started_at IS NOT NULL THEN greatest(started_at, start_at) END) STORED,
  PRIMARY KEY (client_id, job_id),
  CONSTRAINT jobs__of_a_campaign FOREIGN KEY (client_id, campaign_id) REFERENCES campaigns,
  CONSTRAINT jobs__terms_are_somewhere CHECK ((campaign_id IS NULL) = (shared IS NOT NULL)),
  CONSTRAINT jobs__counts_are_possible CHECK (issued BETWEEN 0 AND items AND parts <= items AND next_item >= 0)
) WITH (fillfactor = 50);
-- The condition is true of every row, and only the statements of lists name it: see the first migration.
CREATE INDEX jobs__newest_first ON jobs (client_id, created_at) WHERE parts >= 0;
CREATE INDEX jobs__to_carry_out ON jobs (client_id, begins_at, job_id)
  WHERE begins_at IS NOT NULL AND finished_at IS NULL AND stopped_at IS NULL;
-- The jobs of a partner run one after the other.
CREATE UNIQUE INDEX jobs__one_at_a_time ON jobs (client_id) WHERE lease_holder IS NOT NULL;
CREATE INDEX jobs__to_clear ON jobs (client_id, created_at)
  WHERE NOT cleared AND (started_at IS NULL OR stopped_at IS NOT NULL);

-- Removed when it has been carried out. Compressing it would cost more time than it saves.
CREATE TABLE job_parts (
  client_id     int NOT NULL,
  job_id        uuid NOT NULL,
  part          int NOT NULL,
  items         int NOT NULL CHECK (items > 0),
  list          json NOT NULL,                 -- [[player_id, currency, issue_id, bet_amount in cents, quantity], …]
  content_hash  bytea NOT NULL,
  PRIMARY KEY (client_id, job_id, part),
  CONSTRAINT job_parts__of_a_job FOREIGN KEY (client_id, job_id) REFERENCES jobs
);
ALTER TABLE job_parts ALTER COLUMN list SET STORAGE EXTERNAL;

-- What one step of a job refused.
CREATE TABLE job_refusals (
  client_id     int NOT NULL,
  job_id        uuid NOT NULL,
  carried_out   int NOT NULL,                  -- how many items of the job were carried out before this step
  refused       int NOT NULL CHECK (refused > 0),
  list          json NOT NULL,                 -- [[part, item, player_id, issue_id, error, details], …]
  PRIMARY KEY (client_id, job_id, carried_out),
  CONSTRAINT job_refusals__of_a_job FOREIGN KEY (client_id, job_id) REFERENCES jobs
);

-- The status that time and the row give, for lists filtered by it. A test holds it equal to the rules in the code.
CREATE FUNCTION job_status(
  begins_at timestamptz, finished_at timestamptz, stopped_at timestamptz, now timestamptz
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN stopped_at IS NOT NULL THEN 'stopped'
    WHEN finished_at IS NOT NULL THEN 'finished'
    WHEN begins_at IS NULL THEN 'open'
    WHEN now < begins_at THEN 'scheduled'
    ELSE 'running'
  END $$;
