-- Not compatible: a server of an earlier version would make these changes without a second admin.
-- Requests of admins for changes that give approval rights or show a secret: a second admin confirms each. The table stays
-- small, as the table of drafts does.

CREATE TABLE confirmations (
  confirmation_id       uuid PRIMARY KEY,
  operation             text COLLATE "C" NOT NULL,
  content               text NOT NULL,            -- JSON: the request, and what it changes as it was then
  target_kind           text COLLATE "C" NOT NULL,
  target_id             text COLLATE "C" NOT NULL,   -- empty if the request creates it
  partners              int[],                    -- the scope that an admin needs to decide; null is all partners
  state                 text COLLATE "C" NOT NULL CONSTRAINT confirmations__state
                          CHECK (state IN ('pending', 'confirmed', 'done', 'refused', 'withdrawn')),
  requested_by          uuid NOT NULL REFERENCES staff,
  requested_at          timestamptz NOT NULL,
  reason                text NOT NULL,
  decided_by            uuid REFERENCES staff,    -- null for the command line
  decided_at            timestamptz,
  decided_hash          bytea,                    -- SHA-256 of the content that was confirmed
  decision_reason       text,
  done_at               timestamptz,
  CONSTRAINT confirmations__not_decided_by_the_requester CHECK (decided_by <> requested_by),
  CONSTRAINT confirmations__as_requested CHECK (
    state NOT IN ('confirmed', 'done')
    OR (decided_hash IS NOT NULL AND decided_hash = sha256(convert_to(content, 'UTF8')))),
  CONSTRAINT confirmations__confirmed_in_time CHECK (
    state NOT IN ('confirmed', 'done')
    OR (decided_at IS NOT NULL AND decided_at >= requested_at AND decided_at < requested_at + interval '72 hours')),
  CONSTRAINT confirmations__done_in_time CHECK (
    (state = 'done') = (done_at IS NOT NULL) AND (done_at IS NULL OR done_at < requested_at + interval '72 hours'))
);
CREATE INDEX confirmations__newest_first ON confirmations (requested_at, confirmation_id);
CREATE INDEX confirmations__of_requester ON confirmations (requested_by, requested_at);

-- No foreign key: many machines refuse one in a column that is added.
ALTER TABLE staff ADD COLUMN vouched_by uuid;
COMMENT ON COLUMN staff.vouched_by IS
  'who alone has invited or promoted this person; null where a second admin confirmed it, or the command line did it';
