-- compatible
-- Drafts: what somebody of the staff prepares, and what of it another person must approve. Made by hand, they stay few: both tables
-- are small ones, as that of the staff.

CREATE TABLE drafts (
  client_id        int NOT NULL REFERENCES partners,
  draft_id         uuid NOT NULL,
  kind             text COLLATE "C" NOT NULL CONSTRAINT drafts__kind CHECK (kind IN ('campaign', 'limits', 'job')),
  state            text COLLATE "C" NOT NULL CONSTRAINT drafts__state
                     CHECK (state IN ('open', 'submitted', 'approved', 'refused', 'discarded')),
  author           uuid NOT NULL REFERENCES staff,
  content          text NOT NULL,                 -- JSON, byte for byte what is shown, submitted and approved
  revision         int NOT NULL,                  -- another one with every change of the content
  title            text,
  target_id        text COLLATE "C",              -- the campaign or job that comes of it; none while the content does not say
  copy_of          text COLLATE "C",              -- the campaign whose terms it began with
  exposure         json,                          -- [{currency, amount}]; none while the content is not valid
  created_at       timestamptz NOT NULL,
  changed_at       timestamptz NOT NULL,
  submitted_at     timestamptz,
  submitted_hash   bytea,                         -- SHA-256 of the content that was submitted
  submit_reason    text,
  needs_approval   boolean,
  decided_by       uuid REFERENCES staff,         -- nobody, where it was within the limits
  decided_at       timestamptz,
  decision_reason  text,
  PRIMARY KEY (client_id, draft_id),
  CONSTRAINT drafts__not_decided_by_the_author CHECK (decided_by <> author),
  CONSTRAINT drafts__approved_by_another CHECK (
    state <> 'approved' OR (needs_approval IS NOT NULL AND needs_approval = (decided_by IS NOT NULL))),
  CONSTRAINT drafts__as_submitted CHECK (
    state NOT IN ('submitted', 'approved', 'refused')
    OR (submitted_hash IS NOT NULL AND submitted_hash = sha256(convert_to(content, 'UTF8')))),
  CONSTRAINT drafts__approved_in_time CHECK (
    state <> 'approved' OR (submitted_at IS NOT NULL AND decided_at IS NOT NULL
      AND decided_at >= submitted_at AND decided_at < submitted_at + interval '14 days'))
);
CREATE INDEX drafts__newest_first ON drafts (created_at, draft_id, client_id);
CREATE INDEX drafts__newest_of_a_partner ON drafts (client_id, created_at, draft_id);
-- A job that waits for its approval is kept.
CREATE INDEX drafts__of_jobs ON drafts (client_id, target_id) WHERE kind = 'job' AND state = 'submitted';

-- What an author had without approval, for all partners together: by drafts, and by single free bets with terms of their own. Changed
-- under the lock on the author's row in staff.
CREATE TABLE unapproved_exposure (
  staff_id   uuid NOT NULL REFERENCES staff,
  client_id  int NOT NULL,
  kind       text COLLATE "C" NOT NULL CONSTRAINT unapproved_exposure__kind CHECK (kind IN ('draft', 'free_bet')),
  source_id  uuid NOT NULL,                       -- of the draft, or of the free bet
  currency   text COLLATE "C" NOT NULL,
  cents      numeric NOT NULL CHECK (cents > 0),
  held       int NOT NULL CHECK (held > 0),       -- requests that were carried out, or may have been: nothing is given back before
  at         timestamptz NOT NULL,
  PRIMARY KEY (staff_id, client_id, kind, source_id, currency)
);
CREATE INDEX unapproved_exposure__latest ON unapproved_exposure (staff_id, at);
