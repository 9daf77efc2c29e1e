-- compatible
-- When the campaign or list of a submitted draft ends, in world time: an approval can't carry it out after that. Null for drafts that an
-- earlier version submitted.
ALTER TABLE drafts ADD COLUMN target_ends_at timestamptz;
