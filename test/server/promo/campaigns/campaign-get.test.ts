import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const now = '2027-06-01T12:00:00.000Z';
beforeEach(() => setClock(sql, now));
const validity = { valid_from: now, valid_until: later(now, 86_400_000) };

async function create(campaign_id: string, changes: object = {}): Promise<void> {
  const body = campaign({ campaign_id, ...validity, ...changes });
  accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
}

const get = async (campaign_id: string) => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));

async function issue(campaign_id: string, currency: string): Promise<string> {
  const answer = await call(url, 'Issue', { campaign_id, player_id: 'someone', currency });
  return accepted('Issue', answer).issue_id;
}

test('a campaign that is not there is not found', async () => {
  refused('campaign_not_found', await call(url, 'CampaignGet', { campaign_id: 'nowhere' }));
  await create('somewhere');
  refused('campaign_not_found', await call(url, 'CampaignGet', { campaign_id: 'Somewhere' }));
});

test('the answer is the campaign as created, its status and its counts, whole', async () => {
  await create('whole', { duration_min: 60, config: { bonus_limit: 9, max_coefficient: '2.5' } });
  const issueId = await issue('whole', 'EUR');
  await issue('whole', 'USD');
  accepted('Cancel', await call(url, 'Cancel', { issue_id: issueId }));
  assert.deepEqual(await get('whole'), {
    ...campaign({ campaign_id: 'whole', ...validity }),
    duration_min: 60,
    stake_returned: false,
    config: { bonus_limit: 9, bonus_limit_per_user: null, min_coefficient: null, max_coefficient: '2.50' },
    status: 'active',
    created_at: now,
    stopped_at: null,
    paused_at: null,
    limits_changed_at: null,
    counts: { issued: 2, cancelled: 1, expired: 0, finished: 0, bets_placed: 0 },
    winnings: [
      { currency: 'EUR', amount: '0.00' },
      { currency: 'USD', amount: '0.00' },
    ],
    // One free bet of three bets is open, each of 1.20 USD at 2.5 at most: 3 × 1.80, the stake not returned.
    exposure: [
      { currency: 'EUR', amount: '0.00' },
      { currency: 'USD', amount: '5.40' },
    ],
  });
});

test('the exposure of one bet is rounded down to the cent, and then summed', async () => {
  const bet_amounts = [{ currency: 'EUR', amount: '0.99' }];
  await create('cents', { bet_amounts, quantity: 7, config: { max_coefficient: '1.3333' } });
  await issue('cents', 'EUR');
  await issue('cents', 'EUR');
  // 0.99 × 0.3333 = 0.329967, so 0.32 a bet, and fourteen bets are open.
  assert.deepEqual((await get('cents')).exposure, [{ currency: 'EUR', amount: '4.48' }]);
});

test('the exposure stays exact beyond what a floating number holds', async () => {
  const bet_amounts = [{ currency: 'EUR', amount: '9999999999999.99' }];
  await create('huge', { bet_amounts, quantity: 1000, config: { max_coefficient: '999999.9999' } });
  await issue('huge', 'EUR');
  const cents = (999_999_999_999_999n * 9_999_989_999n) / 10_000n;
  const expected = `${(cents * 1000n) / 100n}.${String((cents * 1000n) % 100n).padStart(2, '0')}`;
  assert.deepEqual((await get('huge')).exposure, [{ currency: 'EUR', amount: expected }]);
});

test('without a highest coefficient the exposure is unknown while anything is open', async () => {
  await create('open-ended');
  await issue('open-ended', 'EUR');
  assert.deepEqual((await get('open-ended')).exposure, [
    { currency: 'EUR', amount: null },
    { currency: 'USD', amount: '0.00' },
  ]);
});

test('an expired free bet is counted as expired, and is no longer exposed', async () => {
  await create('passing', { duration_min: 10, config: { max_coefficient: '2' } });
  await issue('passing', 'EUR');
  await setClock(sql, later(now, 1));
  await issue('passing', 'EUR');
  const cancelled = await issue('passing', 'EUR');
  accepted('Cancel', await call(url, 'Cancel', { issue_id: cancelled }));
  await setClock(sql, later(now, 10 * 60_000));
  const { counts, exposure } = await get('passing');
  assert.deepEqual(counts, { issued: 3, cancelled: 1, expired: 1, finished: 0, bets_placed: 0 });
  assert.equal(exposure[0].amount, '3.00');
  await setClock(sql, later(now, 10 * 60_000 + 1));
  const afterwards = await get('passing');
  assert.equal(afterwards.counts.expired, 2);
  assert.equal(afterwards.counts.cancelled, 1, 'a cancelled one does not expire');
  assert.equal(afterwards.exposure[0].amount, '0.00');
});
