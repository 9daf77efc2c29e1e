-- compatible
-- A provider may place a bet and roll it back as often as it likes; reading a free bet must not walk all of these. The value
-- of this column changes only when a bet is rolled back, so a settlement still touches no index.
ALTER TABLE bets ADD COLUMN standing_issue_id uuid
  GENERATED ALWAYS AS (CASE WHEN state <> 'rolled_back' THEN issue_id END) STORED;
-- The index by issue_id stays for servers of the version before; a later version can drop it.
CREATE INDEX bets__standing ON bets (client_id, standing_issue_id) WHERE standing_issue_id IS NOT NULL;

-- With the campaign behind the time, a campaign tells what of it is overdue without reading the rows of others.
DROP INDEX free_bets__to_sweep;
CREATE INDEX free_bets__to_sweep ON free_bets (client_id, expires_at, campaign_id) WHERE NOT swept;
