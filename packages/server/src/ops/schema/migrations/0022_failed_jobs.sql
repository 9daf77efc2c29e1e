-- compatible
-- A job that makes no progress fails after some attempts, until it is retried or stopped. A failed job has finished_at and failure set:
-- servers of the version before take it for finished, and leave it alone.
ALTER TABLE jobs
  ADD attempts  int NOT NULL DEFAULT 0,        -- leases since the last progress that did not end in order
  ADD failure   json;                          -- {reason, part, item}
-- Few rows, for the metric and for the removal of their parts.
CREATE INDEX jobs__failed ON jobs (client_id, finished_at) WHERE failure IS NOT NULL AND stopped_at IS NULL;
