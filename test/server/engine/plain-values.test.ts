import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PoolClient } from 'pg';
import { insertEventHead } from '../../../packages/server/src/engine/clock.ts';
import { openPool } from '../../../packages/server/src/engine/connection.ts';
import type { Statement } from '../../../packages/server/src/engine/statement.ts';
import { inOneTrip, rollback } from '../../../packages/server/src/engine/transaction.ts';
import { type RowKeys, rowKeysOf } from '../../../packages/server/src/promo/batch/needs.ts';
import type { CampaignPlayer } from '../../../packages/server/src/promo/batch/working-set.ts';
import {
  findCampaignPlayers,
  saveCampaignPlayers,
} from '../../../packages/server/src/promo/campaigns/sql/campaigns.ts';
import { type FreeBet, newFreeBet } from '../../../packages/server/src/promo/free-bets/free-bet.ts';
import { insertFreeBets } from '../../../packages/server/src/promo/free-bets/sql.ts';
import type { Bet } from '../../../packages/server/src/promo/rounds/bet.ts';
import { insertBets } from '../../../packages/server/src/promo/rounds/sql.ts';
import { testDatabase } from '../../support/database.ts';
import { refusedForms } from '../../support/forms.ts';

// Rows that are sent as plain values, as to a database of many machines: they mean the same.

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
const foundOf = (players: CampaignPlayer[], wanted: CampaignPlayer[], maxInlineRows: number) =>
  within(async (client) => {
    const replaced = players.slice(0, 3).map((player) => ({ ...player, held: 1000, isStored: true }));
    const writes = [
      insertEventHead(clientId),
      ...saveCampaignPlayers(clientId, players),
      ...saveCampaignPlayers(clientId, replaced),
    ];
    await inOneTrip(client, writes, { maxInlineRows });
    const finding = findCampaignPlayers(clientId, keysOf(wanted));
    const found = (await inOneTrip(client, [finding], { maxInlineRows })).of(finding);
    return found.toSorted((a, b) => a.held - b.held || (a.playerId < b.playerId ? -1 : 1));
  });

for (const count of [0, 1, 2, 3, 17, mostRows, mostRows + 1]) {
  test(`${count} rows are written and found alike`, async () => {
    const players = playersOf(count);
    const wanted = players.filter((_, i) => i % 4 !== 1);
    const usually = await foundOf(players, wanted, 0);
    assert.equal(usually.length, wanted.length);
    assert.deepEqual(await foundOf(players, wanted, mostRows), usually);
  });
}

const id = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;

/** With everything that may be missing, and what would end a value that is not quoted. */
const freeBetsOf = (count: number): FreeBet[] =>
  Array.from({ length: count }, (_, i) =>
    newFreeBet({
      ...{ issueId: id(i), campaignId: i % 3 === 0 ? null : `c${i}`, playerId: `"p'\\${i},{}`, currency: 'EUR' },
      ...{ betAmount: 100 + i, issuedAt: i, expiresAt: 1_800_000_000_123 + i, contentHash: `0${i % 10}`.repeat(32) },
      terms: {
        ...{ name: i % 2 === 0 ? null : `"n'\\${i}`, quantity: 1 + i, games: ['a', `b"${i}`], durationMin: null },
        ...{ validFrom: i, validUntil: 1_900_000_000_000, minCoefficient: null, maxCoefficient: 50_000 },
        stakeReturned: i % 4 === 0,
      },
    }),
  );

const betsOf = (count: number): Bet[] =>
  Array.from({ length: count }, (_, i): Bet => {
    const known = { providerId: `provider ${i % 2}`, betId: id(i) };
    if (i % 5 === 0) return { ...known, state: 'rolled_back', issueId: null };
    const settled = { settledCoefficient: 23_500, winAmount: 10n ** 20n + BigInt(i), settledAt: 5000 + i };
    return {
      ...{ ...known, issueId: id(i), gameId: `g'"${i}`, coefficient: i % 3 === 0 ? null : 12_000, remaining: i },
      ...{ placedAt: 1000 + i, contentHash: `0${i % 10}`.repeat(32) },
      ...(i % 2 === 0
        ? { state: 'placed', settledCoefficient: null, winAmount: null, settledAt: null }
        : { state: 'won', ...settled }),
    };
  });

test('free bets and bets are written alike, with all that may be missing', async () => {
  const written = (count: number, maxInlineRows: number) =>
    within(async (client) => {
      const writes = [insertFreeBets(clientId, 7000, freeBetsOf(count)), insertBets(clientId, betsOf(count))];
      await inOneTrip(client, [insertEventHead(clientId), ...writes], { maxInlineRows });
      const { rows } = await client.query(
        `SELECT to_jsonb(f)::text AS row FROM free_bets f UNION ALL SELECT to_jsonb(b)::text FROM bets b ORDER BY row`,
      );
      return rows;
    });
  for (const count of [2, 7, 31]) {
    const usually = await written(count, 0);
    assert.equal(usually.length, 2 * count);
    assert.deepEqual(await written(count, mostRows), usually);
  }
});

test('they go in a few sizes, and as usual where they are too many', () => {
  const players = (count: number) => playersOf(count).map((player) => ({ ...player, campaignId: 'a' }));
  const namesOf = (statements: Statement[]) =>
    statements.map(({ asInlineRows }) =>
      asInlineRows?.(mostRows).map(({ name }) => name.replace('insert_campaign_players_', '')),
    );
  const sent = (count: number) => namesOf(saveCampaignPlayers(clientId, players(count)));
  assert.deepEqual(sent(1), [['one']]);
  assert.deepEqual(sent(7), [['4', '2', 'one']]);
  assert.deepEqual(sent(mostRows), [['16', '16', '16', '16']]);
  assert.deepEqual(sent(mostRows + 1), [[]]);
  const found = (wanted: CampaignPlayer[]) => namesOf([findCampaignPlayers(clientId, keysOf(wanted))])[0]?.length;
  assert.equal(found(players(mostRows)), 1, 'one statement for a campaign');
  assert.equal(found(playersOf(mostRows)), 2);
  assert.equal(found(players(mostRows + 1)), 0);
  const all = [...saveCampaignPlayers(clientId, players(5)), findCampaignPlayers(clientId, keysOf(players(5)))];
  for (const { text } of all.flatMap(({ asInlineRows }) => asInlineRows?.(mostRows) ?? [])) {
    assert.deepEqual(refusedForms(text), []);
  }
});
