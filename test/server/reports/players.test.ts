import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { directIssue, games } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { answered, signedIn, staffCall } from '../../support/staff.ts';

// Players, by the free bets that they were given.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000' });
const noon = '2031-06-01T12:00:00.000Z';
await setClock(sql, noon);
const support = await signedIn(sql, 'support', [demo.clientId]);

const issue = async (body: object, partner = demo): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', directIssue({ valid_until: later(noon, 60_000), ...body }), partner))
    .issue_id;

async function play(issue_id: string, player_id: string, result: 'won' | 'lost' | null, coefficient?: string) {
  const bet_id = randomUUID();
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', { bet_id, issue_id, player_id, game_id: games.one }));
  if (result === null) return;
  const settlement = { bet_id, result, ...(coefficient !== undefined && { coefficient }) };
  accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', settlement));
}

const player = (body: object, who = support) => answered(url, 'PlayerGet', { client_id: demo.clientId, ...body }, who);
const search = (body: object) => answered(url, 'PlayerSearch', { client_id: demo.clientId, ...body }, support);

test('what a player was given, has used and won, by currency', async () => {
  const player_id = 'someone';
  assert.deepEqual(await player({ player_id }), { player_id, last_issued_at: null, totals: [], is_whole: true });
  const [finished, inUse] = [await issue({ player_id, quantity: 2 }), await issue({ player_id, quantity: 5 })];
  await play(finished, player_id, 'won', '2.50');
  await play(finished, player_id, 'lost');
  await play(inUse, player_id, null);
  accepted('Cancel', await call(url, 'Cancel', { issue_id: await issue({ player_id }) }));
  await issue({ player_id, valid_until: later(noon, 10) });
  await issue({ player_id, currency: 'USD', bet_amount: '3.10', quantity: 7 });
  await issue({ player_id, quantity: 100 }, rival);
  await issue({ player_id: 'someone else' });
  const last = later(noon, 20);
  await setClock(sql, last);
  await issue({ player_id, valid_from: later(noon, 30_000) });
  assert.deepEqual(await player({ player_id }), {
    player_id,
    last_issued_at: last,
    totals: [
      {
        ...{ currency: 'EUR', issued: 5, cancelled: 1, expired: 1, finished: 1, open: 2 },
        ...{ bets: 3, bets_left: 7, staked: '3.00', won: '1.50' },
      },
      {
        ...{ currency: 'USD', issued: 1, cancelled: 0, expired: 0, finished: 0, open: 1 },
        ...{ bets: 0, bets_left: 7, staked: '0.00', won: '0.00' },
      },
    ],
    is_whole: true,
  });
});

test('free bet stories show the bets, and who cancelled a free bet and why', async () => {
  const player_id = 'another';
  const [used, byStaff, byPartner, open] = [
    await issue({ player_id, quantity: 6 }),
    await issue({ player_id }),
    await issue({ player_id }),
    await issue({ player_id }),
  ];
  await play(used, player_id, 'won', '2.50');
  for (let i = 0; i < 4; i++) await play(used, player_id, null);
  const request = { client_id: demo.clientId, issue_id: byStaff, reason: 'Given by mistake' };
  assert.equal((await staffCall(url, '/FreeBets/Cancel', request, support)).status, 200);
  accepted('Cancel', await call(url, 'Cancel', { issue_id: byPartner }));
  const ofRival = await issue({ player_id }, rival);
  const issue_ids = [byPartner, byStaff.toUpperCase(), used, open, ofRival, randomUUID()];
  const { stories } = await answered(url, 'FreeBetStories', { client_id: demo.clientId, issue_ids }, support);
  type Story = { issue_id: string; bets: unknown[]; cancellation: { at: string; by: string; reason: string } | null };
  assert.deepEqual(
    stories.map(({ issue_id, bets, cancellation }: Story) => [issue_id, bets.length, cancellation]),
    [
      [byPartner, 0, { at: later(noon, 20), by: null, reason: null }],
      [byStaff, 0, { at: later(noon, 20), by: support.email, reason: 'Given by mistake' }],
      [used, 5, null],
      [open, 0, null],
    ],
  );
  const { bets } = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: used }));
  assert.deepEqual(stories[2].bets, bets);
});

test('of a player with very many the latest are added up, and it says so', async () => {
  await sql.query(
    `INSERT INTO free_bets (client_id, issue_id, player_id, currency, bet_amount, quantity, terms, valid_from, issued_at, expires_at,
       content_hash)
     SELECT 1, gen_random_uuid(), 'many', 'EUR', 100, 1, '{}', $1, $1, $1::timestamptz + interval '1 day', ''
     FROM generate_series(1, 2000)`,
    [noon],
  );
  assert.equal((await player({ player_id: 'many' })).is_whole, true);
  await issue({ player_id: 'many' });
  const { totals, is_whole } = await player({ player_id: 'many' });
  assert.deepEqual([is_whole, totals[0].issued], [false, 2000]);
});

test('players are found by how their ids begin, in pages of any size', async () => {
  const long = '💥'.repeat(128);
  const ids = ['p-1', 'p-10', 'p-2', 'p', 'P-1', 'p%', 'q', long];
  for (const player_id of [...ids, 'p-10', 'p-10']) await issue({ player_id });
  await issue({ player_id: 'p-other' }, rival);
  const found = async (prefix: string, limit: number): Promise<string[]> => {
    const players: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await search({ prefix, limit, ...(cursor !== undefined && { cursor }) });
      players.push(...page.players.map((each: { player_id: string }) => each.player_id));
      cursor = page.next_cursor;
    }
    return players;
  };
  for (const limit of [1, 2, 100]) {
    assert.deepEqual(await found('p', limit), ['p', 'p%', 'p-1', 'p-10', 'p-2']);
    assert.deepEqual(await found('p-1', limit), ['p-1', 'p-10']);
    assert.deepEqual(await found('p%', limit), ['p%']);
    assert.deepEqual(await found('💥', limit), [long]);
    assert.deepEqual(await found('zzz', limit), []);
  }
  const similar = async (prefix: string): Promise<string[]> =>
    (await search({ prefix, limit: 1 })).similar.map((each: { player_id: string }) => each.player_id);
  for (const player_id of ['vip-1', 'Vip-2', 'ß']) await issue({ player_id });
  assert.deepEqual(await similar('VIP-1'), ['vip-1']);
  assert.deepEqual(await similar('VIP'), ['vip-1', 'Vip-2']);
  assert.deepEqual(await similar('vip-2'), ['Vip-2']);
  assert.deepEqual(await similar('vip-1'), [], 'a player has exactly this id');
  assert.deepEqual(await similar('P-10'), ['p-10']);
  assert.deepEqual([await similar('ẞ'), await similar('💥'), await similar('7')], [['ß'], [], []]);
  assert.deepEqual((await search({ prefix: 'P-OTHER' })).similar, [], 'the player of another partner');
  await issue({ player_id: `${long.slice(0, -2)}!` });
  assert.deepEqual(await found('💥', 1), [`${long.slice(0, -2)}!`, long]);
  const { status, body } = await staffCall(url, '/Player/Search', { client_id: 1, prefix: 'p', cursor: 'x' }, support);
  assert.deepEqual([status, body.details[0].field], [400, 'cursor']);
});
