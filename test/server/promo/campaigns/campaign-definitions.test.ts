import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from '../../../../packages/server/src/engine/connection.ts';
import { cacheCampaignDefinitions } from '../../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { testDatabase } from '../../../support/database.ts';

// Definitions are kept as long as all of them together are small, whether they are many or long.

const { sql } = await testDatabase();

await sql.query(
  `INSERT INTO campaigns (client_id, campaign_id, name, quantity, games, bet_amounts, valid_from, valid_until, content_hash,
     created_at)
   SELECT 1, kind || n, 'x', 1, CASE kind WHEN 'long' THEN array_fill(repeat('g', 100), ARRAY[500]) ELSE ARRAY['g'] END,
     '[["EUR",100]]', now(), now(), '\\x00', now()
   FROM unnest(ARRAY['long', 'short']) kind, generate_series(1, 100) n`,
);

/** Counts the statements sent to the database. */
function counting(): { connection: Connection; asked(): number } {
  let asked = 0;
  return {
    connection: {
      query(statement) {
        const [, ids] = statement.values as [number, string | string[]];
        asked += [ids].flat().length;
        return sql.query(statement);
      },
    },
    asked: () => asked,
  };
}

const ids = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `${kind}${i + 1}`);

test('short ones are many, and none is asked for twice', async () => {
  const definitions = cacheCampaignDefinitions(1_000_000);
  const { connection, asked } = counting();
  for (let i = 0; i < 3; i++) {
    assert.equal((await definitions.load(connection, 1, [...ids('short', 100), 'nowhere'])).size, 100);
  }
  assert.equal(asked(), 101 + 2, 'only what does not exist is asked for again');
});

test('of long ones only a few are kept, the latest used', async () => {
  const definitions = cacheCampaignDefinitions(1_000_000);
  const { connection, asked } = counting();
  for (const id of ids('long', 100)) assert.equal((await definitions.load(connection, 1, [id])).size, 1);
  assert.equal(asked(), 100);
  await definitions.load(connection, 1, ['long100', 'long99']);
  assert.equal(asked(), 100, 'the latest are known');
  await definitions.load(connection, 1, ids('long', 80));
  assert.equal(asked(), 180, 'the first are not');
});

test('one that is longer than all may be is read, and not kept', async () => {
  const definitions = cacheCampaignDefinitions(10);
  const { connection, asked } = counting();
  for (let i = 1; i <= 2; i++) {
    assert.equal((await definitions.load(connection, 1, ['short1'])).size, 1);
    assert.equal(asked(), i);
  }
});
