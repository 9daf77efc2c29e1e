import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PoolClient } from 'pg';
import { openPool } from '../../../packages/server/src/db/connection.ts';
import { inOneTrip } from '../../../packages/server/src/db/round-trip.ts';
import type { Statement } from '../../../packages/server/src/db/statement.ts';
import { rollback } from '../../../packages/server/src/db/transaction.ts';
import { type RowKeys, rowKeysOf } from '../../../packages/server/src/domain/row-keys.ts';
import type { CampaignPlayer } from '../../../packages/server/src/domain/working-set.ts';
import { findCampaignPlayers, saveCampaignPlayers } from '../../../packages/server/src/sql/campaign-players.ts';
import { insertEventHead } from '../../../packages/server/src/sql/events.ts';
import { testDatabase } from '../../support/database.ts';
import { refusedForms } from '../../support/forms.ts';

// A database of many machines is asked for a few rows in other words: they mean the same.

const { env } = await testDatabase();
const pool = openPool({
  connection: { connectionString: env.DATABASE_URL },
  ...{ max: 1, queryTimeoutMs: 20_000, applicationName: 'test' },
});
after(() => pool.end());

const clientId = 7;
const mostRows = 64;

/** Held by players of two campaigns, of whom some have the other's name. */
const playersOf = (count: number, isStored = false): CampaignPlayer[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ campaignId: i % 3 === 0 ? 'a b' : 'a', playerId: i % 2 === 0 ? `p ${i}` : `b p ${i - 1}`, held: i + 1 },
    isStored,
  }));

const keysOf = (campaignPlayers: readonly CampaignPlayer[]): RowKeys => ({
  ...rowKeysOf([]),
  campaignPlayers: [...campaignPlayers],
});

async function within<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    return await work(client);
  } finally {
    await inOneTrip(client, [rollback()]);
    client.release();
  }
}

/** What the database has of these players when they were written and are asked for in one of the two ways. */
const foundOf = (players: CampaignPlayer[], wanted: CampaignPlayer[], isOnMany: boolean) =>
  within(async (client) => {
    const replaced = players.slice(0, 3).map((player) => ({ ...player, held: 1000, isStored: true }));
    const writes = [
      insertEventHead(clientId),
      ...saveCampaignPlayers(clientId, players),
      ...saveCampaignPlayers(clientId, replaced),
    ];
    await inOneTrip(client, writes, { isOnMany });
    const finding = findCampaignPlayers(clientId, keysOf(wanted));
    const found = (await inOneTrip(client, [finding], { isOnMany })).of(finding);
    return found.toSorted((a, b) => a.held - b.held || (a.playerId < b.playerId ? -1 : 1));
  });

for (const count of [2, 3, 17, mostRows, mostRows + 1]) {
  test(`${count} rows are written and found alike`, async () => {
    const players = playersOf(count);
    const wanted = players.filter((_, i) => i % 4 !== 1);
    const usually = await foundOf(players, wanted, false);
    assert.equal(usually.length, wanted.length);
    assert.deepEqual(await foundOf(players, wanted, true), usually);
  });
}

test('it is asked in plain values, by a statement for each number of rows, and as usual for one row and for very many', () => {
  const of = (count: number): Statement[] => [
    ...saveCampaignPlayers(clientId, playersOf(count)),
    findCampaignPlayers(clientId, keysOf(playersOf(count))),
  ];
  const names = (count: number) => of(count).map((each) => each.onMany?.().name);
  assert.deepEqual(names(1), [undefined, undefined]);
  assert.deepEqual(names(2), ['insert_campaign_players_2', 'select_campaign_players_on_many']);
  assert.deepEqual(names(mostRows), [`insert_campaign_players_${mostRows}`, 'select_campaign_players_on_many']);
  assert.deepEqual(names(mostRows + 1), [undefined, undefined]);
  for (const { onMany } of of(5)) assert.deepEqual(refusedForms(onMany?.().text ?? ''), []);
});
