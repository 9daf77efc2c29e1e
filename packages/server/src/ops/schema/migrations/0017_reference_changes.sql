-- compatible
-- What each version of the reference data changed, so that servers load no more than that. Servers without this table leave versions
-- out, and then everything is loaded. Only the latest are kept.
CREATE TABLE reference_changes (
  version    bigint PRIMARY KEY,
  client_id  int                                    -- the partner that was changed; none: providers, games
);
