import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games, inDays } from '../../../support/requests.ts';
import { runCommand, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import { coefficient, expectedWin, money } from '../batch/winnings.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000' });
const game_id = games.one;

async function winOver(amount: string, odds: string): Promise<string> {
  const bet_id = randomUUID();
  const { issue_id } = accepted('Issue', await call(url, 'Issue', directIssue({ bet_amount: amount, quantity: 1 })));
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', { bet_id, issue_id, player_id: 'player-1', game_id }));
  const settle = { bet_id, result: 'won', coefficient: odds };
  return accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', settle)).win_amount;
}

test('winnings are exact and rounded down, the largest amounts included', async () => {
  assert.equal(await winOver('9999999999999.99', '999999.9999'), '9999989998999990000.01');
  assert.equal(await winOver('0.01', '1.9999'), '0.00');
  assert.equal(await winOver('0.01', '2'), '0.01');
  assert.equal(await winOver('1.00', '1'), '0.00');
  await fc.assert(
    fc.asyncProperty(money, coefficient, async (amount, odds) => {
      assert.equal(await winOver(amount, odds), expectedWin(amount, odds, false));
    }),
    { numRuns: 10 },
  );
});

test('a partner that returns the stake pays amount × coefficient', async () => {
  const { code } = await runCommand(env, 'client', 'update', '1', '--stake-returned', 'yes');
  assert.equal(code, 0);
  await until('the stake is returned', 2000, async () => (await winOver('1.00', '2.35')) === '2.35');
  await runCommand(env, 'client', 'update', '1', '--stake-returned', 'no');
  await until('the stake is kept', 2000, async () => (await winOver('1.00', '2.35')) === '1.35');
});

const get = async (campaign_id: string) => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));

test('a campaign counts its free bets and bets, its winnings and its exposure', async () => {
  const campaign_id = 'counted';
  const config = { max_coefficient: '5.00' };
  const valid_until = inDays(20);
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, config, valid_until })));
  const issue = async (currency: string): Promise<string> =>
    accepted('Issue', await call(url, 'Issue', { campaign_id, player_id: 'p', currency })).issue_id;
  const bet = async (issue_id: string) => {
    const bet_id = randomUUID();
    accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', { bet_id, issue_id, player_id: 'p', game_id }));
    return bet_id;
  };
  const settle = (bet_id: string, more: object) => callAs(lantern, url, 'RoundsSettle', { bet_id, ...more });

  const [one, two, three] = [await issue('EUR'), await issue('EUR'), await issue('USD')];
  let now = await get(campaign_id);
  assert.deepEqual(now.counts, { issued: 3, cancelled: 0, expired: 0, finished: 0, bets_placed: 0 });
  assert.deepEqual(now.exposure, [
    { currency: 'EUR', amount: '24.00' },
    { currency: 'USD', amount: '14.40' },
  ]);
  const bets = [await bet(one), await bet(one), await bet(one)];
  accepted('RoundsSettle', await settle(bets[0] ?? '', { result: 'won', coefficient: '2.50' }));
  accepted('RoundsSettle', await settle(bets[1] ?? '', { result: 'lost' }));
  accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id: await bet(two) }));
  accepted('Cancel', await call(url, 'Cancel', { issue_id: three }));
  now = await get(campaign_id);
  assert.deepEqual(now.counts, { issued: 3, cancelled: 1, expired: 0, finished: 0, bets_placed: 3 });
  assert.deepEqual(now.exposure, [
    { currency: 'EUR', amount: '16.00' },
    { currency: 'USD', amount: '0.00' },
  ]);
  accepted('RoundsSettle', await settle(bets[2] ?? '', { result: 'won', coefficient: '9' }));
  now = await get(campaign_id);
  assert.deepEqual(now.counts, { issued: 3, cancelled: 1, expired: 0, finished: 1, bets_placed: 3 });
  assert.deepEqual(now.winnings[0], { currency: 'EUR', amount: '5.50' });

  await setClock(sql, valid_until);
  now = await get(campaign_id);
  assert.equal(now.counts.expired, 1);
  assert.deepEqual(now.exposure[0], { currency: 'EUR', amount: '0.00' });
  await setClock(sql, null);
});
