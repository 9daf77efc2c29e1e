-- compatible
-- Callers may ask for more than a right signature. Servers without these columns go on accepting what the others refuse, and
-- refuse requests whose signature covers the time; so both are asked for when every server knows them.
ALTER TABLE partners
  ADD COLUMN signing text COLLATE "C" NOT NULL DEFAULT 'plain' CONSTRAINT partners__signing CHECK (signing IN ('plain', 'strict')),
  ADD COLUMN allow_from cidr[] CONSTRAINT partners__allow_somebody CHECK (cardinality(allow_from) > 0);   -- null: any
ALTER TABLE providers
  ADD COLUMN signing text COLLATE "C" NOT NULL DEFAULT 'plain' CONSTRAINT providers__signing CHECK (signing IN ('plain', 'strict')),
  ADD COLUMN allow_from cidr[] CONSTRAINT providers__allow_somebody CHECK (cardinality(allow_from) > 0);  -- null: any
