import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { errors } from '@freebets/contract';
import { accepted, fieldsOf, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const create = async (campaign_id: string, config: object = {}) =>
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, config })));

async function batch(items: unknown[]) {
  const { results } = accepted('IssueBatch', await call(url, 'IssueBatch', { items }));
  assert.equal(results.length, items.length);
  return results;
}

function assertItemError(
  result: { issue_id: string | null; error: { details?: { field: string }[] } },
  error: keyof typeof errors,
) {
  const { code, message } = errors[error];
  const { details: _, ...emitted } = result.error;
  assert.deepEqual(emitted, { code, error, message });
}

test('each item is answered as it would be alone, in the order given', async () => {
  await create('batch');
  const [one, two] = [randomUUID(), randomUUID()];
  const items = [
    { issue_id: one, campaign_id: 'batch', player_id: 'anna', currency: 'USD' },
    directIssue({ issue_id: two, player_id: 'ben', bet_amount: '2.50' }),
  ];
  const [first, second] = await batch(items);
  assert.ok(!('games' in first), 'the campaign knows its games');
  assert.deepEqual([first.issue_id, first.player_id, first.bet_amount], [one, 'anna', '1.20']);
  assert.deepEqual([second.issue_id, second.player_id, second.bet_amount], [two, 'ben', '2.50']);
  const { games: ofCampaign, ...alone } = accepted('Issue', await call(url, 'Issue', items[0] as object));
  assert.deepEqual([alone, ofCampaign], [first, [games.one]]);
  assert.deepEqual(accepted('Issue', await call(url, 'Issue', items[1] as object)), second);
});

test('a bad item never fails another item', async () => {
  await create('mixed', { bonus_limit: 2 });
  const good = { campaign_id: 'mixed', player_id: 'anna', currency: 'EUR' };
  const taken = randomUUID();
  accepted('Issue', await call(url, 'Issue', directIssue({ issue_id: taken })));
  const results = await batch([
    good,
    { ...good, campaign_id: 'nowhere' },
    { ...good, currency: 'GBP' },
    { ...good, issue_id: taken.toUpperCase() },
    directIssue({ games: ['no-such-game'] }),
    directIssue({ games: [games.withoutFreeBets] }),
    directIssue({ valid_until: '2020-01-01T00:00:00Z' }),
    { ...good, quantity: 1 },
    null,
    'text',
    [],
    {},
    good,
    good,
    directIssue(),
  ]);
  const outcomes = results.map(
    (result: { status?: string; error?: { error: string } }) => result.error?.error ?? result.status,
  );
  assert.deepEqual(outcomes, [
    'active',
    'campaign_not_found',
    'currency_not_allowed',
    'id_reused',
    'game_not_available',
    'game_without_free_bets',
    'invalid_validity',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'active',
    'bonus_limit_reached',
    'active',
  ]);
  assertItemError(results[1], 'campaign_not_found');
  assert.equal(results[1].issue_id, null);
  assert.equal(results[3].issue_id, taken, 'the id of the caller, so that it can tell its items apart');
});

test('an item that breaks a bound of the body fails the whole of it, and nothing is issued', async () => {
  const broken = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`field_${i}`, i]));
  const issue_id = randomUUID();
  const answer = await call(url, 'IssueBatch', { items: [directIssue({ issue_id }), broken] });
  refused('invalid_request', answer, ['items[1]']);
  refused('free_bet_not_found', await call(url, 'FreeBetGet', { issue_id }));
});

test('the details of a bad item name its own fields, and its id is given back', async () => {
  const [result] = await batch([{ issue_id: 'NOT-A-UUID', player_id: '', currency: 'eur', client_id: 1 }]);
  assertItemError(result, 'invalid_request');
  assert.equal(result.issue_id, 'not-a-uuid');
  const [cut] = await batch([{ issue_id: `${'x'.repeat(63)}🎲` }]);
  assert.equal(cut.issue_id, `${'x'.repeat(63)}\ufffd`, 'and no half of a character');
  const missing = ['bet_amount', 'quantity', 'games', 'valid_until'];
  assert.deepEqual(fieldsOf(result.error), ['issue_id', 'player_id', 'currency', 'client_id', ...missing].sort());
});

test('the details of all items together are bounded, also details from a rule', async () => {
  const unknown = Array.from({ length: 500 }, (_, i) => `nowhere-${i}`);
  const results = await batch(Array.from({ length: 30 }, () => directIssue({ games: unknown })));
  const counts = results.map((result: { error: { details?: unknown[] } }) => result.error.details?.length);
  assert.deepEqual(counts, [100, ...Array(29).fill(undefined)]);
});

test('an item with an object that cannot be made into a number fails alone', async () => {
  const hostile = { valueOf: 1, toString: 1 };
  const config = { min_coefficient: hostile, max_coefficient: '2' };
  const [bad, good] = await batch([directIssue({ config }), directIssue()]);
  assertItemError(bad, 'invalid_request');
  assert.equal(good.status, 'active');
});

test('items of one batch count for each other: limits and ids', async () => {
  await create('among-themselves', { bonus_limit: 3, bonus_limit_per_user: 2 });
  const annas = { campaign_id: 'among-themselves', player_id: 'anna', currency: 'EUR' };
  const twice = { ...annas, issue_id: randomUUID() };
  const results = await batch([
    twice,
    twice,
    { ...twice, currency: 'USD' },
    annas,
    annas,
    { ...annas, player_id: 'ben' },
    { ...annas, player_id: 'cleo' },
  ]);
  assert.deepEqual(results[0], results[1]);
  assertItemError(results[2], 'id_reused');
  assert.equal(results[3].status, 'active');
  assertItemError(results[4], 'bonus_limit_per_user_reached');
  assert.equal(results[5].status, 'active');
  assertItemError(results[6], 'bonus_limit_reached');
  const { counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'among-themselves' }));
  assert.equal(counts.issued, 3);
});

test('a batch sent again gives the first answers again', async () => {
  await create('repeated', { bonus_limit: 2 });
  const items = ['anna', 'ben', 'cleo'].map((player_id) => ({
    issue_id: randomUUID(),
    campaign_id: 'repeated',
    player_id,
    currency: 'EUR',
  }));
  const first = await batch(items);
  assertItemError(first[2], 'bonus_limit_reached');
  accepted('Cancel', await call(url, 'Cancel', { issue_id: items[0]?.issue_id ?? '' }));
  const again = await batch(items);
  assert.deepEqual(again.slice(0, 2), first.slice(0, 2));
  assert.equal(again[2].status, 'active', 'the refused one had used up nothing, and a place is free now');
});

test('a thousand items are carried out, and not one more is taken', async () => {
  const items = Array.from({ length: 1001 }, (_, i) => directIssue({ player_id: `thousand-${i}` }));
  refused('invalid_request', await call(url, 'IssueBatch', { items }), ['items']);
  refused('invalid_request', await call(url, 'IssueBatch', { items: [] }), ['items']);
  refused('invalid_request', await call(url, 'IssueBatch', {}), ['items']);
  const results = await batch(items.slice(0, 1000));
  assert.deepEqual(
    results.map((result: { player_id: string }) => result.player_id),
    items.slice(0, 1000).map((item) => item.player_id),
  );
  const { rows } = await sql.query(`SELECT count(*)::int AS n FROM free_bets WHERE player_id LIKE 'thousand-%'`);
  assert.equal(rows[0].n, 1000);
});

test('an error in the batch itself refuses the whole batch', async () => {
  const items = [directIssue()];
  refused('invalid_request', await call(url, 'IssueBatch', { items, item: 1 }), ['item']);
  refused('invalid_request', await call(url, 'IssueBatch', { items: { 0: items[0] } }), ['items']);
});
