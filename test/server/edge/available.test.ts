import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { freshMetrics } from '../../support/metrics.ts';
import { callAs, heron, lantern } from '../../support/provider.ts';
import { campaign, directIssue, games, inDays } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const [game, other = ''] = games.ofFirstProvider;

const available = async (changes: object = {}, provider = lantern) => {
  const request = { player_id: 'ann', game_id: game, currency: 'EUR', ...changes };
  return accepted('RoundsAvailable', await callAs(provider, url, 'RoundsAvailable', request)).free_bets;
};

const issue = async (changes: object) =>
  accepted('Issue', await call(url, 'Issue', directIssue({ player_id: 'ann', ...changes }))).issue_id;

test('the free bets that cover the game, with their limits, the soonest to expire first', async () => {
  const config = { min_coefficient: '1.20', max_coefficient: '5.00' };
  await call(url, 'CampaignCreate', campaign({ campaign_id: 'covers', valid_until: inDays(20), config }));
  await call(url, 'CampaignCreate', campaign({ campaign_id: 'covers-not', games: [other] }));
  const direct = await issue({ valid_until: inDays(10), games: [other, game], config: { max_coefficient: '3' } });
  const unlimited = await issue({ valid_until: inDays(25) });
  await issue({ games: [other] });
  const named = { player_id: 'ann', currency: 'EUR' };
  const byCampaign = await call(url, 'Issue', { campaign_id: 'covers', ...named });
  await call(url, 'Issue', { campaign_id: 'covers-not', ...named });
  const found = await available();
  assert.deepEqual(
    found.map((one: Record<string, unknown>) => [
      one.issue_id,
      one.min_coefficient,
      one.max_coefficient,
      one.remaining,
    ]),
    [
      [direct, null, '3.00', 3],
      [byCampaign.body.issue_id, '1.20', '5.00', 3],
      [unlimited, null, null, 3],
    ],
  );
});

test('a game is found by its whole id among the games, and nowhere else in the terms', async () => {
  const before = (await available({ player_id: 'eve' })).length;
  await issue({ player_id: 'eve', games: [other], name: `${game}` });
  await issue({ player_id: 'eve', games: [other], name: `"${game}"` });
  assert.equal((await available({ player_id: 'eve' })).length, before);
  assert.deepEqual(await available({ player_id: 'eve', game_id: String(game).slice(0, -1) }), []);
});

test('a partner that does not exist is like one whose player has no free bets, and costs the same', async () => {
  const unknown = { client_id: 4711 };
  const fresh = await testServer({ ...env, WORKER: 'off' });
  assert.deepEqual(await available(unknown), []);
  assert.deepEqual(await available(unknown, heron), []);
  const bet = { bet_id: randomUUID(), issue_id: randomUUID(), player_id: 'ann', game_id: game };
  refused('free_bet_not_found', await callAs(lantern, fresh.url, 'RoundsBet', { ...bet, ...unknown }));
  const settle = { bet_id: bet.bet_id, result: 'lost', ...unknown };
  refused('bet_not_found', await callAs(lantern, fresh.url, 'RoundsSettle', settle));
  accepted('RoundsRollback', await callAs(lantern, fresh.url, 'RoundsRollback', { bet_id: bet.bet_id, ...unknown }));
  refused('bet_rolled_back', await callAs(lantern, fresh.url, 'RoundsBet', { ...bet, ...unknown }));
  assert.match(
    await freshMetrics(fresh.url),
    /^freebets_lane_batch_size_count 4$/m,
    'each took the way of every other',
  );
  const { rows } = await sql.query('SELECT state, issue_id FROM bets WHERE client_id = 4711');
  assert.deepEqual(rows, [{ state: 'rolled_back', issue_id: null }]);
});

test('bets that were rolled back are not walked when their free bet is read', async () => {
  const issue_id = await issue({ player_id: 'rob' });
  for (let i = 0; i < 3; i++) {
    const bet = { bet_id: randomUUID(), issue_id, player_id: 'rob', game_id: game };
    accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', bet));
    if (i < 2) accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id: bet.bet_id }));
  }
  assert.equal(accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id })).bets.length, 1);
  const { rows } = await sql.query('SELECT count(standing_issue_id)::int AS standing FROM bets WHERE issue_id = $1', [
    issue_id,
  ]);
  assert.deepEqual(rows, [{ standing: 1 }]);
});
