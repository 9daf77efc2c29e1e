import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { currencyOfFirstOnly, directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const now = '2027-06-01T12:00:00.000Z';
await setClock(sql, now);
const valid_until = later(now, 3_600_000);

const issue = (changes: object = {}) => call(url, 'Issue', directIssue({ valid_until, ...changes }));

test('the answer is the whole free bet, as it was asked for', async () => {
  const issue_id = randomUUID();
  const asked = {
    issue_id,
    player_id: 'x'.repeat(128),
    currency: currencyOfFirstOnly,
    bet_amount: '9999999999999.99',
    quantity: 1000,
    games: games.ofFirstProvider,
    valid_until,
    name: 'Welcome',
    valid_from: later(now, 60_000),
    duration_min: 5,
    config: { min_coefficient: '1', max_coefficient: '1' },
  };
  const { name: _, duration_min: __, ...shown } = asked;
  const body = accepted('Issue', await call(url, 'Issue', asked));
  assert.deepEqual(body, {
    ...shown,
    campaign_id: null,
    status: 'issued',
    remaining: 1000,
    config: { min_coefficient: '1.00', max_coefficient: '1.00' },
    expires_at: later(now, 60_000 + 5 * 60_000),
    issued_at: now,
  });
  const read = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
  assert.deepEqual(read, { ...body, bets: [] });
});

test('without valid_from it is valid from now on, and without limits it has none', async () => {
  const body = accepted('Issue', await issue());
  assert.equal(body.valid_from, now);
  assert.equal(body.status, 'active');
  assert.equal(body.expires_at, valid_until);
  assert.deepEqual(body.config, { min_coefficient: null, max_coefficient: null });
  const half = accepted('Issue', await issue({ config: { max_coefficient: '2' } }));
  assert.deepEqual(half.config, { min_coefficient: null, max_coefficient: '2.00' });
});

test('the rules of a campaign hold for the same fields', async () => {
  refused('invalid_validity', await issue({ valid_until: now, valid_from: later(now, -1) }), ['valid_until']);
  refused('invalid_validity', await issue({ valid_from: valid_until }), ['valid_from']);
  refused('game_not_available', await issue({ games: [games.one, 'no-such-game'] }), ['games[1]']);
  refused('game_without_free_bets', await issue({ games: [games.withoutFreeBets] }), ['games[0]']);
  const ofTwo = [games.one, games.ofSecondProvider];
  refused('currency_not_allowed', await issue({ currency: currencyOfFirstOnly, games: ofTwo }), ['currency']);
  accepted('Issue', await issue({ currency: 'USD', games: ofTwo }));
});

test('a validity that ends now is refused; one that ends a millisecond later is not', async () => {
  refused('invalid_validity', await issue({ valid_until: now }));
  assert.equal(accepted('Issue', await issue({ valid_until: later(now, 1) })).expires_at, later(now, 1));
});

test('limits of a campaign have no place in a direct issue', async () => {
  const config = { bonus_limit: 1, bonus_limit_per_user: 1 };
  refused('invalid_request', await issue({ config }), ['config.bonus_limit', 'config.bonus_limit_per_user']);
  refused('invalid_request', await issue({ bet_amounts: [] }), ['bet_amounts']);
});

test('everything that is required is named when nothing is given', async () => {
  const required = ['player_id', 'currency', 'bet_amount', 'quantity', 'games', 'valid_until'];
  refused('invalid_request', await call(url, 'Issue', {}), required);
});

test('a refused issue uses up nothing: the id is free', async () => {
  const issue_id = randomUUID();
  refused('game_not_available', await issue({ issue_id, games: ['no-such-game'] }));
  refused('invalid_request', await issue({ issue_id, quantity: 0 }));
  refused('free_bet_not_found', await call(url, 'FreeBetGet', { issue_id }));
  assert.equal(accepted('Issue', await issue({ issue_id })).issue_id, issue_id);
});
