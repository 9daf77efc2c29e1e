-- Not compatible: servers before it would neither hear of what is due nor say so.
-- The time by which a statement is carried out, the same in all of it: so it can be bounded by an index, and can be known before the
-- statement is sent on to the machine that has the rows. Who waits for a lock, and must know what time it is behind it, asks service_now().
CREATE FUNCTION world_now() RETURNS timestamptz LANGUAGE sql STABLE
  AS $$ SELECT date_trunc('milliseconds', statement_timestamp()) $$;

-- What is written of a partner, many rows at a time, and what is asked about many partners stands on their heads.
INSERT INTO event_heads (client_id, last_sequence) SELECT client_id, 0 FROM partners ORDER BY client_id ON CONFLICT DO NOTHING;

-- Where what is due of a partner stands: on one machine in one place, on many machines in one place of each part of the data, beside what
-- the partner has there, so that all who are awake are found by asking for few places. Which place that is says the function, and it
-- is made anew where the data is spread over machines.
CREATE FUNCTION due_slot(client int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 0 $$;

-- What a partner's rows add up to is asked by the statement itself.
DROP FUNCTION IF EXISTS activity_in_rows(int);

-- What stood in due is found by the survey with which every server begins.
DROP TABLE due;
CREATE TABLE due_partners (
  slot         int NOT NULL,
  client_id    int NOT NULL,
  awake_until  timestamptz,                         -- in real time, as leases are
  wake_at      timestamptz,                         -- in world time
  PRIMARY KEY (slot, client_id),
  CONSTRAINT due_partners__awake_or_asleep CHECK ((awake_until IS NULL) <> (wake_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX due_partners__awake ON due_partners (slot, client_id) INCLUDE (awake_until) WHERE awake_until IS NOT NULL;
CREATE INDEX due_partners__asleep ON due_partners (slot, wake_at) WHERE wake_at IS NOT NULL;
