-- Not compatible: older servers would settle by the partner's current setting, and create campaigns without a payout type.
-- Whether a win pays the stake as well belongs to the terms, as max_coefficient does. Changing the partner's setting then affects only
-- new campaigns, jobs and direct free bets. Existing ones take the setting as of this migration.

-- A constant default rewrites no table.
ALTER TABLE campaigns ADD COLUMN stake_returned boolean NOT NULL DEFAULT false;
UPDATE campaigns c SET stake_returned = true FROM partners p WHERE p.client_id = c.client_id AND p.stake_returned;

-- The field is appended, and the rest of the text stays as it is. Terms without the field do not return the stake.
-- Free bets that can no longer be settled keep their terms, because they are most of the table.
UPDATE free_bets f SET terms = (left(f.terms::text, -1) || ',"stakeReturned":true}')::json
FROM partners p
WHERE p.client_id = f.client_id AND p.stake_returned AND f.terms IS NOT NULL AND f.cancelled_at IS NULL
  AND f.bets_settled < f.quantity AND NOT (f.swept AND f.bets_placed = f.bets_settled);

UPDATE jobs j SET shared = (left(j.shared::text, -1) || ',"stakeReturned":' || p.stake_returned::text || '}')::json
FROM partners p
WHERE p.client_id = j.client_id AND j.shared IS NOT NULL;

ALTER TABLE drafts ADD COLUMN stake_returned boolean;
COMMENT ON COLUMN drafts.stake_returned IS 'the payout type of a campaign that its exposure was judged by; null for limits and jobs';
UPDATE drafts d SET stake_returned = p.stake_returned FROM partners p
WHERE p.client_id = d.client_id AND d.kind = 'campaign' AND d.exposure IS NOT NULL;
