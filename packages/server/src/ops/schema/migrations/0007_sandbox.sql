-- Partners with a clock of their own. An older server would decide about them by the time of the world.
ALTER TABLE partners ADD COLUMN sandbox boolean NOT NULL DEFAULT false;   -- from its creation on, and for good

-- A row for each sandbox. A batch shares the lock on it until it has ended, and whoever moves the clock has it alone.
CREATE TABLE sandbox_clocks (
  client_id  int PRIMARY KEY,
  ahead      interval NOT NULL,     -- of the time of the world; seconds only, so that no time zone matters
  set_to     timestamptz,           -- what the latest Set asked for; none before the first
  moved_at   timestamptz            -- when that was, in the world
);

-- occurred_at is the partner's business time. What counts the age of events goes by this; older rows have none, and
-- for them it is the same.
ALTER TABLE event_batches ADD COLUMN written_at timestamptz;
