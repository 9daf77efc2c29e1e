-- compatible
-- What people look for in the console. The conditions are true of every row, and only the statements of lists name them: see the
-- first migration. A definition never changes, so that these entries are written one time.
CREATE INDEX campaigns__ending_soonest ON campaigns (client_id, valid_until, campaign_id) WHERE quantity > 0;
CREATE INDEX campaigns__by_name ON campaigns (client_id, (lower(name) COLLATE "C"), campaign_id) WHERE quantity > 0;
-- What waits for somebody to decide.
CREATE INDEX drafts__waiting ON drafts (client_id, submitted_at) WHERE state = 'submitted';
-- The jobs of a campaign.
CREATE INDEX jobs__of_campaign ON jobs (client_id, campaign_id, created_at) WHERE parts >= 0 AND campaign_id IS NOT NULL;
-- Those that begin between two times.
CREATE INDEX campaigns__beginning_soonest ON campaigns (client_id, valid_from) WHERE quantity > 0;
