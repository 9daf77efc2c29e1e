-- compatible
-- The last event of each partner that retention has removed. Its id tells whether a cursor just before the oldest event is one of this
-- feed. The table is separate from event_heads so that retention never holds the lock that batches take. A server of the version before
-- removes events without a row here; such a cursor is then accepted without a check.
CREATE TABLE event_tails (
  client_id  int PRIMARY KEY,
  sequence   bigint NOT NULL,
  event_id   uuid                                    -- null until retention removes the first event
);
