import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, currencyOfFirstOnly, games, inDays } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
beforeEach(() => setClock(sql, null));

const create = (changes: object = {}) => call(url, 'CampaignCreate', campaign(changes));
const get = async (campaign_id: string) => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));

test('the id that was submitted is answered, and nothing else', async () => {
  assert.deepEqual(accepted('CampaignCreate', await create({ campaign_id: 'Sommer ☀ 2027' })), {
    campaign_id: 'Sommer ☀ 2027',
  });
});

test('without an id the service makes one, another each time', async () => {
  const [first, second] = [accepted('CampaignCreate', await create()), accepted('CampaignCreate', await create())];
  assert.match(first.campaign_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(first.campaign_id, second.campaign_id);
  assert.equal((await get(first.campaign_id)).campaign_id, first.campaign_id);
});

test('every field is kept as it was given', async () => {
  const whole = campaign({
    campaign_id: 'whole',
    name: 'Ünïcode & "quotes"',
    quantity: 1000,
    valid_from: '2020-02-29T10:00:00.120Z',
    valid_until: '2099-12-31T23:59:59.999Z',
    games: games.ofFirstProvider.slice(0, 3).toReversed(),
    bet_amounts: [
      { currency: 'USD', amount: '9999999999999.99' },
      { currency: 'EUR', amount: '0.01' },
    ],
    duration_min: 525_600,
    config: {
      bonus_limit: 2_147_483_647,
      bonus_limit_per_user: 1,
      min_coefficient: '1.00',
      max_coefficient: '999999.9999',
    },
  });
  accepted('CampaignCreate', await call(url, 'CampaignCreate', whole));
  const {
    stake_returned,
    status,
    created_at,
    stopped_at,
    paused_at,
    limits_changed_at,
    counts,
    winnings,
    exposure,
    ...kept
  } = await get('whole');
  assert.deepEqual(kept, whole);
  assert.deepEqual([status, stake_returned], ['active', false]);
  assert.deepEqual([stopped_at, paused_at, limits_changed_at], [null, null, null]);
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.deepEqual(counts, { issued: 0, cancelled: 0, expired: 0, finished: 0, bets_placed: 0 });
  const nothing = ['USD', 'EUR'].map((currency) => ({ currency, amount: '0.00' }));
  assert.deepEqual({ winnings, exposure }, { winnings: nothing, exposure: nothing });
});

test('optional fields may be absent, and read as null', async () => {
  accepted('CampaignCreate', await create({ campaign_id: 'bare' }));
  const { duration_min, config } = await get('bare');
  assert.equal(duration_min, null);
  const nothing = { bonus_limit: null, bonus_limit_per_user: null, min_coefficient: null, max_coefficient: null };
  assert.deepEqual(config, nothing);
  accepted('CampaignCreate', await create({ campaign_id: 'half', config: { bonus_limit: 5 } }));
  assert.deepEqual((await get('half')).config, { ...nothing, bonus_limit: 5 });
});

test('coefficients are read back with two decimals or more, times with milliseconds', async () => {
  const config = { min_coefficient: '01.2', max_coefficient: '1.2345' };
  const valid_until = '2099-01-01T00:00:00Z';
  accepted('CampaignCreate', await create({ campaign_id: 'forms', config, valid_until }));
  const read = await get('forms');
  assert.equal(read.config.min_coefficient, '1.20');
  assert.equal(read.config.max_coefficient, '1.2345');
  assert.equal(read.valid_until, '2099-01-01T00:00:00.000Z');
});

test('a validity that is empty or over is refused, at the millisecond', async () => {
  await setClock(sql, '2027-06-01T12:00:00Z');
  const valid_until = '2027-06-01T12:00:00.001Z';
  refused('invalid_validity', await create({ valid_until: '2027-06-01T12:00:00.000Z' }), ['valid_until']);
  refused('invalid_validity', await create({ valid_until, valid_from: valid_until }), ['valid_from']);
  refused('invalid_validity', await create({ valid_until, valid_from: '2027-06-01T12:00:00.0019Z' }), ['valid_from']);
  refused(
    'invalid_validity',
    await create({ valid_until: '2020-01-01T00:00:00Z', valid_from: '2021-01-01T00:00:00Z' }),
    ['valid_from', 'valid_until'],
  );
  accepted('CampaignCreate', await create({ valid_until, valid_from: '2027-06-01T12:00:00.000Z' }));
});

test('games that are not on offer are refused, each by its place', async () => {
  const asked = ['no-such-game', games.one, 'nor-this', games.one.toUpperCase()];
  refused('game_not_available', await create({ games: asked }), ['games[0]', 'games[2]', 'games[3]']);
});

test('a game without FreeBet is refused by its place', async () => {
  refused('game_without_free_bets', await create({ games: [games.one, games.withoutFreeBets] }), ['games[1]']);
});

test('every currency must be supported by the provider of every game', async () => {
  const bet_amounts = ['EUR', currencyOfFirstOnly, 'ZZZ'].map((currency) => ({ currency, amount: '1.00' }));
  const ofTwo = [games.one, games.ofSecondProvider];
  refused('currency_not_allowed', await create({ bet_amounts, games: ofTwo }), [
    'bet_amounts[1].currency',
    'bet_amounts[2].currency',
  ]);
  refused('currency_not_allowed', await create({ bet_amounts }), ['bet_amounts[2].currency']);
  accepted('CampaignCreate', await create({ bet_amounts: bet_amounts.slice(0, 2) }));
});

test('of several broken rules the first is answered: validity, offer, FreeBet, currency', async () => {
  const bet_amounts = [{ currency: 'ZZZ', amount: '1.00' }];
  const both = [games.withoutFreeBets, 'no-such-game'];
  refused('invalid_validity', await create({ valid_until: inDays(-1), games: both, bet_amounts }));
  refused('game_not_available', await create({ games: both, bet_amounts }));
  refused('game_without_free_bets', await create({ games: [games.withoutFreeBets], bet_amounts }));
});

test('a refused creation uses up nothing: the id is free, and no campaign is there', async () => {
  refused('game_not_available', await create({ campaign_id: 'second-try', games: ['no-such-game'] }));
  refused('campaign_not_found', await call(url, 'CampaignGet', { campaign_id: 'second-try' }));
  accepted('CampaignCreate', await create({ campaign_id: 'second-try' }));
});

test('an id is taken as it is: case and spaces make another campaign', async () => {
  for (const campaign_id of ['Case', 'case', ' case', 'case ', ' ', '0', 'null', '💥'.repeat(64)]) {
    assert.deepEqual(accepted('CampaignCreate', await create({ campaign_id, name: campaign_id })), { campaign_id });
  }
  assert.equal((await get('case ')).name, 'case ');
});
