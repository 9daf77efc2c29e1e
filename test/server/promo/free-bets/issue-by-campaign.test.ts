import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const now = '2027-06-01T12:00:00.000Z';
beforeEach(() => setClock(sql, now));
const validity = { valid_from: later(now, -1000), valid_until: later(now, 3_600_000) };

const create = async (campaign_id: string, changes: object = {}) =>
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, ...validity, ...changes })));
const issue = (campaign_id: string, changes: object = {}) =>
  call(url, 'Issue', { campaign_id, player_id: 'player-1', currency: 'EUR', ...changes });

test('the answer is the whole free bet, on the terms of the campaign', async () => {
  const config = { bonus_limit: 10, bonus_limit_per_user: 3, min_coefficient: '1.2', max_coefficient: '5' };
  const chosen = games.ofFirstProvider.slice(0, 2);
  await create('whole', { quantity: 7, games: chosen, duration_min: 30, config });
  const issue_id = randomUUID();
  const body = accepted('Issue', await issue('whole', { issue_id, player_id: 'Плеер 42 🎲', currency: 'USD' }));
  assert.deepEqual(body, {
    issue_id,
    campaign_id: 'whole',
    status: 'active',
    player_id: 'Плеер 42 🎲',
    currency: 'USD',
    bet_amount: '1.20',
    quantity: 7,
    remaining: 7,
    games: chosen,
    config: { min_coefficient: '1.20', max_coefficient: '5.00' },
    ...validity,
    expires_at: later(now, 30 * 60_000),
    issued_at: now,
  });
  const read = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
  assert.deepEqual(read, { ...body, bets: [] });
});

test('without an issue_id the service makes a UUIDv7, another each time', async () => {
  await create('made-ids');
  const [first, second] = [accepted('Issue', await issue('made-ids')), accepted('Issue', await issue('made-ids'))];
  assert.match(first.issue_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(first.issue_id, second.issue_id);
});

test('a UUID of any version and case is taken, and answered in lower case', async () => {
  await create('any-uuid');
  for (const issue_id of [
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    'A0EEBC99-9C0B-1EF8-BB6D-6BB9BD380A11',
  ]) {
    assert.equal(accepted('Issue', await issue('any-uuid', { issue_id })).issue_id, issue_id.toLowerCase());
    for (const id of [issue_id, issue_id.toLowerCase()]) {
      const read = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: id }));
      assert.equal(read.issue_id, issue_id.toLowerCase());
    }
  }
});

test('a campaign that is not there cannot issue', async () => {
  refused('campaign_not_found', await issue('nowhere'));
});

test('a currency that the campaign does not give an amount for is refused', async () => {
  await create('two-currencies');
  refused('currency_not_allowed', await issue('two-currencies', { currency: 'GBP' }), ['currency']);
});

test('at valid_until itself the campaign has ended, a millisecond before it has not', async () => {
  await create('ending');
  await setClock(sql, later(validity.valid_until, -1));
  const last = accepted('Issue', await issue('ending'));
  assert.equal(last.status, 'active');
  assert.equal(last.expires_at, validity.valid_until);
  await setClock(sql, validity.valid_until);
  refused('campaign_ended', await issue('ending'));
});

test('before valid_from a campaign issues, and the free bet waits', async () => {
  await create('waiting', { valid_from: later(now, 60_000) });
  assert.equal(accepted('Issue', await issue('waiting')).status, 'issued');
});

test('nothing but the campaign, the player and the currency may be given', async () => {
  await create('closed');
  const extra = { bet_amount: '1.00', quantity: 1, games: [games.one], valid_until: validity.valid_until, config: {} };
  refused('invalid_request', await issue('closed', extra), Object.keys(extra));
  refused('invalid_request', await call(url, 'Issue', { campaign_id: 'closed' }), ['currency', 'player_id']);
});

test('of several broken rules the first is answered: stopped, ended, currency, limit, limit of the player', async () => {
  await create('many-faults', { config: { bonus_limit: 1, bonus_limit_per_user: 1 } });
  accepted('Issue', await issue('many-faults'));
  refused('bonus_limit_reached', await issue('many-faults'));
  refused('currency_not_allowed', await issue('many-faults', { currency: 'GBP' }));
  await setClock(sql, validity.valid_until);
  refused('campaign_ended', await issue('many-faults', { currency: 'GBP' }));
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'many-faults' }));
  refused('campaign_stopped', await issue('many-faults', { currency: 'GBP' }));
});

test('a refused issue uses up nothing: neither its id nor a place', async () => {
  await create('careful', { config: { bonus_limit: 1, bonus_limit_per_user: 1 } });
  const issue_id = randomUUID();
  refused('campaign_not_found', await issue('nowhere', { issue_id }));
  refused('currency_not_allowed', await issue('careful', { issue_id, currency: 'GBP' }));
  refused('free_bet_not_found', await call(url, 'FreeBetGet', { issue_id }));
  assert.equal(accepted('Issue', await issue('careful', { issue_id })).issue_id, issue_id);
});

test('a free bet that is not there is not found', async () => {
  refused('free_bet_not_found', await call(url, 'FreeBetGet', { issue_id: randomUUID() }));
});
