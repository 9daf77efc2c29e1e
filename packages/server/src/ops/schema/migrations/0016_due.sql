-- compatible
-- Which partners the work in the background has to ask about, so that it costs nothing for all the others. A partner is awake until a
-- while after the latest change of its things; then it has no row, or sleeps until the next of them is due. Servers without this
-- table ask about everybody, and what they write without a row is found by a survey of all partners.
CREATE TABLE due (
  client_id    int PRIMARY KEY,
  awake_until  timestamptz,                         -- in real time, as leases are
  wake_at      timestamptz,                         -- in world time
  CONSTRAINT due__awake_or_asleep CHECK ((awake_until IS NULL) <> (wake_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX due__awake ON due (client_id) INCLUDE (awake_until) WHERE awake_until IS NOT NULL;
CREATE INDEX due__asleep ON due (wake_at) WHERE wake_at IS NOT NULL;
