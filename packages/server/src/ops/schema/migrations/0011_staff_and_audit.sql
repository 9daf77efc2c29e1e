-- compatible
-- People who sign in to the console, and the record of all that they and the command line change.

CREATE TABLE staff (
  staff_id        uuid PRIMARY KEY,
  email           text NOT NULL,
  email_key       text COLLATE "C" NOT NULL CONSTRAINT staff__one_email UNIQUE,   -- in lower case
  name            text NOT NULL,
  role            text COLLATE "C" NOT NULL CONSTRAINT staff__role CHECK (role IN ('viewer', 'support', 'manager', 'admin', 'auditor')),
  all_partners    boolean NOT NULL,               -- otherwise those in staff_partners
  password        text,                           -- argon2id with its parameters; none before the invitation is accepted
  totp_secret     bytea,                          -- encrypted under the master key
  totp_since      timestamptz,                    -- when it was confirmed
  totp_last_step  bigint,                         -- the step of the latest code, so that none is good twice
  totp_next       bytea,                          -- the secret that is being set up, encrypted likewise
  oidc_issuer     text COLLATE "C",
  oidc_subject    text COLLATE "C",
  created_at      timestamptz NOT NULL DEFAULT service_now(),
  disabled_at     timestamptz,
  CONSTRAINT staff__second_factor CHECK ((totp_secret IS NULL) = (totp_since IS NULL)),
  CONSTRAINT staff__one_of_a_subject UNIQUE (oidc_issuer, oidc_subject),
  CONSTRAINT staff__issuer_and_subject CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL))
);

CREATE TABLE staff_partners (
  staff_id   uuid NOT NULL REFERENCES staff,
  client_id  int NOT NULL REFERENCES partners,
  PRIMARY KEY (staff_id, client_id)
);

CREATE TABLE recovery_codes (
  staff_id   uuid NOT NULL REFERENCES staff,
  code_hash  bytea NOT NULL,
  used_at    timestamptz,
  PRIMARY KEY (staff_id, code_hash)
);

-- Who has the token is signed in; only its SHA-256 is kept.
CREATE TABLE sessions (
  token_hash    bytea PRIMARY KEY,
  session_id    uuid NOT NULL UNIQUE,               -- to name it by
  staff_id      uuid NOT NULL REFERENCES staff,
  created_at    timestamptz NOT NULL DEFAULT service_now(),
  seen_at       timestamptz NOT NULL DEFAULT service_now(),
  address       text,
  user_agent    text,
  second_factor boolean NOT NULL                    -- whether one was given
);
CREATE INDEX sessions__of_staff ON sessions (staff_id);

-- Good one time. Only the SHA-256 of its token is kept.
CREATE TABLE invitations (
  token_hash  bytea PRIMARY KEY,
  staff_id    uuid NOT NULL REFERENCES staff,
  created_at  timestamptz NOT NULL DEFAULT service_now(),
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz
);
CREATE INDEX invitations__of_staff ON invitations (staff_id);

-- How many sign-ins have failed lately, of an account by the e-mail address that was claimed, whether there is such an account or
-- not, and from a network address: `email alice@example.com`, `address 203.0.113.7`.
CREATE TABLE sign_in_failures (
  subject    text COLLATE "C" PRIMARY KEY,
  failures   int NOT NULL,
  failed_at  timestamptz NOT NULL,
  refused    int NOT NULL DEFAULT 0                 -- without being checked, since the record last said how many
);

-- The record: a chain for each partner, and one, number 0, for what belongs to none. Each row has the hash of the one before in
-- its own: SHA-256 over that hash, the number, the time in milliseconds and the text of the record, with a space between.
CREATE TABLE audit_heads (
  client_id  int PRIMARY KEY,
  sequence   bigint NOT NULL,
  at         timestamptz NOT NULL
);
CREATE TABLE audit (
  client_id  int NOT NULL,
  sequence   bigint NOT NULL,
  at         timestamptz NOT NULL,                 -- in world time
  record     text NOT NULL,                        -- JSON, byte for byte what was hashed
  hash       bytea NOT NULL,
  -- Of the record, to find it by.
  action     text COLLATE "C" GENERATED ALWAYS AS (record::jsonb ->> 'action') STORED,
  actor      text COLLATE "C" GENERATED ALWAYS AS (coalesce(record::jsonb #>> '{actor,staff_id}', record::jsonb #>> '{actor,kind}')) STORED,
  target     text COLLATE "C" GENERATED ALWAYS AS (left((record::jsonb #>> '{target,kind}') || ' ' || (record::jsonb #>> '{target,id}'), 200)) STORED,
  PRIMARY KEY (client_id, sequence)
);
CREATE INDEX audit__newest_first ON audit (at, client_id, sequence);
CREATE INDEX audit__by_actor ON audit (actor, at, client_id, sequence);
CREATE INDEX audit__by_target ON audit (client_id, target, at, sequence);

CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'the record of what was done cannot be changed' USING ERRCODE = 'insufficient_privilege'; END $$;
CREATE TRIGGER audit__stays BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER audit__stays_whole BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit();
