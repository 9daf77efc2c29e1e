-- compatible
-- Signing in by OpenID Connect.

-- Whether it is for single sign-on; then no password can be set with it.
ALTER TABLE invitations ADD COLUMN sso boolean NOT NULL DEFAULT false;

-- A sign-in that is under way at the provider. It is removed when the browser comes back, so that it is good one time.
CREATE TABLE sso_attempts (
  state_hash       bytea PRIMARY KEY,                -- SHA-256
  browser_hash     bytea NOT NULL,                   -- of the cookie of the browser that began it
  nonce            text NOT NULL,
  verifier         text NOT NULL,
  return_to        text NOT NULL,                    -- a path of ours
  invitation_hash  bytea,                            -- of the invitation that is accepted by it
  address          text COLLATE "C" NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT service_now()
);
CREATE INDEX sso_attempts__by_age ON sso_attempts (created_at);
CREATE INDEX sso_attempts__of_address ON sso_attempts (address, created_at);
