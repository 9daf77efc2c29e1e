import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { IssueId, isValid, type OperationName } from '@freebets/contract';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { digestOf } from '../../../support/digest.ts';
import { holdCampaign } from '../../../support/held-batch.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { runCommand, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

const { env, sql } = await testDatabase();
// Without the work in the background nothing but a request can change a row.
const { url } = await testServer({ ...env, WORKER: 'off' });

const now = '2027-06-01T12:00:00.000Z';
const validity = { valid_from: now, valid_until: later(now, 3_600_000) };
beforeEach(() => setClock(sql, now));

const create = async (campaign_id: string, changes: object = {}) =>
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, ...validity, ...changes })));
const byCampaign = (campaign_id: string, player_id = 'anna') => ({ campaign_id, player_id, currency: 'EUR' });
const issued = async (body: object) => accepted('Issue', await call(url, 'Issue', body));

/** As a dry run, after which every row is as it was. */
async function dry(name: OperationName, body: object, partner = demo) {
  const before = await digestOf(sql);
  const answer = await call(url, name, { ...body, dry_run: true }, partner);
  assert.deepEqual(await digestOf(sql), before, `a dry run of ${name} has left something behind`);
  return answer;
}

test('a dry run of an issue shows the free bet, and issues none', async () => {
  await create('one-place', { config: { bonus_limit: 1, bonus_limit_per_user: 1 } });
  const body = { issue_id: randomUUID(), ...byCampaign('one-place') };
  for (const again of ['once', 'twice']) {
    const { dry_run, ...shown } = accepted('Issue', await dry('Issue', body));
    assert.equal(dry_run, true);
    refused('free_bet_not_found', await call(url, 'FreeBetGet', { issue_id: body.issue_id }));
    if (again === 'twice') assert.deepEqual(await issued(body), shown);
  }
  refused('bonus_limit_reached', await dry('Issue', byCampaign('one-place', 'ben')));
  assert.equal(
    accepted('Issue', await dry('Issue', body)).dry_run,
    true,
    'a repeated issue returns the first response',
  );
  refused('id_reused', await dry('Issue', { ...body, player_id: 'ben' }));
});

test('an id that is made for a dry run is not used up', async () => {
  const { issue_id } = accepted('Issue', await dry('Issue', directIssue(validity)));
  assert.ok(isValid(IssueId, issue_id));
  assert.equal((await issued(directIssue({ ...validity, issue_id }))).issue_id, issue_id);
});

test('dry_run false is as if it were not there, also for an id that comes again', async () => {
  const body = directIssue({ ...validity, issue_id: randomUUID() });
  const first = await issued({ ...body, dry_run: false });
  assert.deepEqual([await issued(body), 'dry_run' in first], [first, false]);
  const { dry_run, ...again } = accepted('Issue', await dry('Issue', body));
  assert.deepEqual([again, dry_run], [first, true]);
  const wanted = campaign({ campaign_id: 'not-dry', ...validity });
  const created = accepted('CampaignCreate', await call(url, 'CampaignCreate', { ...wanted, dry_run: false }));
  assert.deepEqual(created, { campaign_id: 'not-dry' });
  accepted('CampaignCreate', await call(url, 'CampaignCreate', wanted));
});

test('fields are checked as always, and dry_run is true or false', async () => {
  refused('invalid_request', await dry('Issue', { ...byCampaign('one-place'), currency: 'eur', colour: 'red' }), [
    'colour',
    'currency',
  ]);
  const named: [OperationName, object][] = [
    ['CampaignCreate', campaign()],
    ['Issue', directIssue()],
    ['Issue', byCampaign('one-place')],
    ['IssueBatch', { items: [directIssue()] }],
    ['Cancel', { issue_id: randomUUID() }],
  ];
  for (const [name, body] of named) {
    for (const wrong of ['true', 1, null, {}]) {
      const { details } = refused('invalid_request', await call(url, name, { ...body, dry_run: wrong }), ['dry_run']);
      assert.equal(details[0].reason, 'must be true or false');
    }
  }
  refused('invalid_request', await call(url, 'CampaignStop', { campaign_id: 'one-place', dry_run: true }), ['dry_run']);
  const { results } = accepted('IssueBatch', await dry('IssueBatch', { items: [{ ...directIssue(), dry_run: true }] }));
  assert.equal(results[0].error.details[0].field, 'dry_run', 'the items of a batch have none of their own');
});

test('the items of a batch are decided one after the other', async () => {
  await create('two-places', { config: { bonus_limit: 2, bonus_limit_per_user: 1 } });
  const issue_id = randomUUID();
  const items = [
    { issue_id, ...byCampaign('two-places') },
    byCampaign('two-places'),
    { issue_id, ...byCampaign('two-places') },
    { issue_id, ...byCampaign('two-places', 'ben') },
    byCampaign('two-places', 'ben'),
    byCampaign('two-places', 'cleo'),
    { player_id: 'dora' },
    directIssue(validity),
  ];
  const outcome = ({ error, player_id }: { error?: { error: string }; player_id?: string }) =>
    error?.error ?? player_id;
  const { results, dry_run } = accepted('IssueBatch', await dry('IssueBatch', { items }));
  assert.equal(dry_run, true);
  assert.deepEqual(results.map(outcome), [
    'anna',
    'bonus_limit_per_user_reached',
    'anna',
    'id_reused',
    'ben',
    'bonus_limit_reached',
    'invalid_request',
    'player-1',
  ]);
  assert.equal('games' in results[0], false, 'of a campaign without its games, as a real one');
  const real = accepted('IssueBatch', await call(url, 'IssueBatch', { items }));
  assert.deepEqual(real.results.map(outcome), results.map(outcome));
});

test('a dry run of a cancellation says whether it could be done, and cancels nothing', async () => {
  await create('to-cancel', { duration_min: 1 });
  const { issue_id } = await issued(byCampaign('to-cancel'));
  assert.deepEqual(accepted('Cancel', await dry('Cancel', { issue_id: issue_id.toUpperCase() })), { dry_run: true });
  const read = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
  assert.equal(read.status, 'active');
  refused('free_bet_not_found', await dry('Cancel', { issue_id: randomUUID() }));
  refused('free_bet_not_found', await dry('Cancel', { issue_id }, rival));
  await setClock(sql, later(now, 60_000));
  refused('free_bet_expired', await dry('Cancel', { issue_id }));
});

const most = (amount: string | null, currency = 'EUR') => ({ currency, amount });
const limits = { bonus_limit: 10, max_coefficient: '5.00' };

test('a dry run of a campaign tells the most it could ever win', async () => {
  const exposureOf = async (config: object, changes: object = {}, partner = demo) => {
    const body = campaign({ campaign_id: 'not-there', ...validity, config, ...changes });
    const { campaign_id, dry_run, max_exposure } = accepted(
      'CampaignCreate',
      await dry('CampaignCreate', body, partner),
    );
    assert.deepEqual([campaign_id, dry_run], ['not-there', true]);
    return max_exposure;
  };
  // 10 free bets of 3 bets, each of which wins 4 times its amount.
  assert.deepEqual(await exposureOf(limits), [most('120.00'), most('144.00', 'USD')]);
  assert.deepEqual(await exposureOf({ bonus_limit: 10 }), [most(null), most(null, 'USD')]);
  assert.deepEqual(await exposureOf({ max_coefficient: '5.00' }), [most(null), most(null, 'USD')]);
  assert.deepEqual(await exposureOf({ bonus_limit: 1, max_coefficient: '1' }), [most('0.00'), most('0.00', 'USD')]);
  const largest = { quantity: 1000, bet_amounts: [{ currency: 'EUR', amount: '9999999999999.99' }] };
  assert.deepEqual(await exposureOf({ bonus_limit: 2_147_483_647, max_coefficient: '999999.9999' }, largest), [
    most((((999999999999999n * 9999989999n) / 10000n) * 2147483647000n).toString().replace(/(..)$/, '.$1')),
  ]);
  refused('campaign_not_found', await call(url, 'CampaignGet', { campaign_id: 'not-there' }));
  await runCommand(env, 'client', 'update', '2', '--stake-returned', 'yes');
  await waitForStake();
  assert.deepEqual(await exposureOf(limits, {}, rival), [most('150.00'), most('180.00', 'USD')]);
});

function waitForStake(): Promise<number> {
  const body = { ...campaign({ config: limits }), ...validity, dry_run: true };
  return until('the setting is known', 10_000, async () => {
    const { max_exposure } = (await call(url, 'CampaignCreate', body, rival)).body;
    return max_exposure[0].amount === '150.00';
  });
}

test('a campaign is refused by a dry run as it would be created, and its id answers again', async () => {
  refused('game_not_available', await dry('CampaignCreate', campaign({ ...validity, games: ['chess', games.one] })), [
    'games[0]',
  ]);
  const later = { ...validity, valid_until: now };
  refused('invalid_validity', await dry('CampaignCreate', campaign(later)), ['valid_until']);
  await create('there');
  const again = await dry('CampaignCreate', campaign({ campaign_id: 'there', ...validity }));
  assert.deepEqual(Object.keys(accepted('CampaignCreate', again)), ['campaign_id', 'dry_run', 'max_exposure']);
  refused('id_reused', await dry('CampaignCreate', campaign({ campaign_id: 'there', ...validity, quantity: 4 })));
});

test('a dry run waits for no lock', async () => {
  await create('locked');
  const { issue_id } = await issued(byCampaign('locked'));
  const held = await holdCampaign(sql, 'locked');
  try {
    accepted('Issue', await call(url, 'Issue', { ...byCampaign('locked'), dry_run: true }));
    accepted('Cancel', await call(url, 'Cancel', { issue_id, dry_run: true }));
  } finally {
    await held.letGo();
  }
});
