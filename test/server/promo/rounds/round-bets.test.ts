import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { callAs, heron, lantern } from '../../../support/provider.ts';
import { directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const player_id = 'player-1';
const game_id = games.one;

const issue = async (changes: object = {}, partner?: typeof rival): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', directIssue(changes), partner)).issue_id;

const bet = (body: object, provider = lantern) =>
  callAs(provider, url, 'RoundsBet', { player_id, game_id, bet_id: randomUUID(), ...body });

test('a repeated bet is one bet with one response despite changes in between', async () => {
  const issue_id = await issue();
  const bet_id = randomUUID();
  const first = accepted('RoundsBet', await bet({ issue_id, bet_id, coefficient: '2.5' }));
  accepted('RoundsBet', await bet({ issue_id }));
  const again = { issue_id: issue_id.toUpperCase(), bet_id: bet_id.toUpperCase(), coefficient: '2.50' };
  assert.deepEqual(accepted('RoundsBet', await bet(again)), first);
  accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', { bet_id, result: 'lost' }));
  assert.deepEqual(accepted('RoundsBet', await bet(again)), first);
  assert.equal((await call(url, 'FreeBetGet', { issue_id })).body.remaining, 1);
});

test('a bet id with other content is refused', async () => {
  const issue_id = await issue({ games: games.ofFirstProvider });
  const bet_id = randomUUID();
  accepted('RoundsBet', await bet({ issue_id, bet_id }));
  refused('id_reused', await bet({ issue_id, bet_id, coefficient: '2.00' }));
  refused('id_reused', await bet({ issue_id, bet_id, game_id: games.ofFirstProvider[1] }));
  refused('id_reused', await bet({ issue_id: await issue(), bet_id }));
});

test('a settlement repeated gives the first answer, and any other is refused', async () => {
  const issue_id = await issue();
  const bet_id = randomUUID();
  accepted('RoundsBet', await bet({ issue_id, bet_id }));
  const settle = (more: object) => callAs(lantern, url, 'RoundsSettle', { bet_id, ...more });
  const first = accepted('RoundsSettle', await settle({ result: 'won', coefficient: '3.1' }));
  assert.deepEqual(accepted('RoundsSettle', await settle({ result: 'won', coefficient: '3.1000' })), first);
  refused('bet_already_settled', await settle({ result: 'won', coefficient: '3.2' }));
  refused('bet_already_settled', await settle({ result: 'lost' }));
});

test('a coefficient comes with a win, and only with a win', async () => {
  const round = { bet_id: randomUUID() };
  refused('invalid_request', await callAs(lantern, url, 'RoundsSettle', { ...round, result: 'won' }), ['coefficient']);
  const lost = { ...round, result: 'lost', coefficient: '2.00' };
  refused('invalid_request', await callAs(lantern, url, 'RoundsSettle', lost), ['coefficient']);
  const unknown = { ...round, result: 'void', coefficient: '2.00' };
  refused('invalid_request', await callAs(lantern, url, 'RoundsSettle', unknown), ['result']);
  refused('invalid_request', await callAs(lantern, url, 'RoundsSettle', { ...round, coefficient: '2' }), ['result']);
});

test('a rollback that comes before its bet is remembered', async () => {
  const issue_id = await issue();
  const bet_id = randomUUID();
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id })), {});
  }
  refused('bet_rolled_back', await bet({ issue_id, bet_id }));
  const settle = { bet_id, result: 'won', coefficient: '2.00' };
  refused('bet_rolled_back', await callAs(lantern, url, 'RoundsSettle', settle));
  const { status, remaining } = (await call(url, 'FreeBetGet', { issue_id })).body;
  assert.deepEqual([status, remaining], ['active', 3]);
});

test("another provider's, player's or partner's free bet is as if it did not exist", async () => {
  const issue_id = await issue();
  refused('free_bet_not_found', await bet({ issue_id, game_id: games.ofSecondProvider }, heron));
  refused('free_bet_not_found', await bet({ issue_id }, heron));
  refused('free_bet_not_found', await bet({ issue_id, player_id: 'someone-else' }));
  refused('free_bet_not_found', await bet({ issue_id, client_id: rival.clientId }));
  refused('free_bet_not_found', await bet({ issue_id, client_id: 2_000_000_000 }));
  refused('free_bet_not_found', await bet({ issue_id: randomUUID() }));
  assert.equal((await call(url, 'FreeBetGet', { issue_id })).body.status, 'active');
});

test("another provider's bet does not exist for a provider, which may use the same id", async () => {
  const both = [game_id, games.ofSecondProvider];
  const issue_id = await issue({ games: both });
  const bet_id = randomUUID();
  accepted('RoundsBet', await bet({ issue_id, bet_id }));
  refused('bet_not_found', await callAs(heron, url, 'RoundsSettle', { bet_id, result: 'lost' }));
  refused('game_not_covered', await bet({ issue_id }, heron));
  accepted('RoundsBet', await bet({ issue_id, bet_id, game_id: games.ofSecondProvider }, heron));
  accepted('RoundsRollback', await callAs(heron, url, 'RoundsRollback', { bet_id }));
  assert.equal((await call(url, 'FreeBetGet', { issue_id })).body.remaining, 2);
  const settled = await callAs(lantern, url, 'RoundsSettle', { bet_id, client_id: rival.clientId, result: 'lost' });
  refused('bet_not_found', settled);
  accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', { bet_id, result: 'lost' }));
});

test('a rollback of a bet that was never placed is remembered, and leaves nothing else of a partner that does not exist', async () => {
  const client_id = 1_000_000;
  const bet_ids = Array.from({ length: 20 }, () => randomUUID());
  // Some of them share a batch.
  const rolledBack = bet_ids.map((bet_id) => callAs(lantern, url, 'RoundsRollback', { client_id, bet_id }));
  for (const answer of await Promise.all(rolledBack)) accepted('RoundsRollback', answer);
  const { rows } = await sql.query(
    `SELECT (SELECT count(*)::int FROM bets WHERE client_id = $1) AS bets,
       (SELECT count(*)::int FROM event_heads WHERE client_id = $1) AS heads,
       (SELECT count(*)::int FROM due_partners WHERE client_id = $1) AS active`,
    [client_id],
  );
  assert.deepEqual(rows, [{ bets: 20, heads: 0, active: 0 }]);
});

test('a partner cannot call the operations of providers, nor a provider those of partners', async () => {
  refused('invalid_request', await call(url, 'RoundsRollback', { bet_id: randomUUID() }), ['provider_id']);
  const imposter = { providerId: 'unknown', secret: lantern.secret };
  refused('forbidden', await callAs(imposter, url, 'RoundsRollback', { bet_id: randomUUID() }));
  refused(
    'forbidden',
    await callAs({ ...lantern, secret: heron.secret }, url, 'RoundsRollback', { bet_id: randomUUID() }),
  );
  const asPartner = await callAs(lantern, url, 'CampaignList', {});
  refused('forbidden', asPartner);
});

test('the free bets a player can use in a game, the soonest to expire first', async () => {
  const player = { player_id: 'chooser' };
  const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const late = await issue({ ...player, valid_until: until(9) });
  const soon = await issue({ ...player, valid_until: until(3), config: { max_coefficient: '4' } });
  const used = await issue({ ...player, quantity: 1 });
  accepted('RoundsBet', await bet({ ...player, issue_id: used }));
  const gone = await issue(player);
  accepted('Cancel', await call(url, 'Cancel', { issue_id: gone }));
  await issue({ ...player, valid_from: until(1) });
  await issue({ ...player, currency: 'USD' });
  await issue({ ...player, games: [games.ofFirstProvider[1]] });
  const ask = { ...player, game_id, currency: 'EUR' };
  const { free_bets } = accepted('RoundsAvailable', await callAs(lantern, url, 'RoundsAvailable', ask));
  assert.deepEqual(
    free_bets.map((one: { issue_id: string }) => one.issue_id),
    [soon, late],
  );
  assert.deepEqual(
    [free_bets[0].amount, free_bets[0].remaining, free_bets[0].min_coefficient, free_bets[0].max_coefficient],
    ['1.00', 3, null, '4.00'],
  );
  for (const other of [{ client_id: 2 }, { client_id: 999 }, { player_id: 'x' }, { game_id: games.ofSecondProvider }]) {
    const answer = await callAs(lantern, url, 'RoundsAvailable', { ...ask, ...other });
    assert.deepEqual(accepted('RoundsAvailable', answer), { free_bets: [] });
  }
  assert.deepEqual(accepted('RoundsAvailable', await callAs(heron, url, 'RoundsAvailable', ask)), { free_bets: [] });
});
