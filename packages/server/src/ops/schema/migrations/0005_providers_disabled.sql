-- compatible
-- A disabled provider is refused as if it did not exist. Servers without this column go on accepting its requests.
ALTER TABLE providers ADD COLUMN disabled_at timestamptz;
