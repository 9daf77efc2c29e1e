import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { OperationName } from '@freebets/contract';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, sendSigned } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

// A write with an id that exists: the same content gets the first answer again, other content is refused.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const noon = '2027-06-01T12:00:00.000Z';
beforeEach(() => setClock(sql, noon));
const end = later(noon, 3_600_000);
const validity = { valid_from: noon, valid_until: end };

/** The same values, written so that no byte need be the same. */
const sendText = (name: OperationName, text: string) => sendSigned(url, name, text);

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
};

const config = { bonus_limit: 3, bonus_limit_per_user: 2, min_coefficient: '1.20', max_coefficient: '5.00' };
const wholeCampaign = (campaign_id: string) => campaign({ campaign_id, ...validity, duration_min: 5, config });
const wholeIssue = (issue_id: string) =>
  directIssue({ issue_id, ...validity, name: 'One', duration_min: 5, config: { min_coefficient: '1.20' } });

test('a campaign created again, in other words, is the same campaign', async () => {
  const body = { client_id: demo.clientId, ...wholeCampaign('again') };
  const first = accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
  await setClock(sql, later(noon, 1000));
  const otherWords = {
    ...body,
    valid_from: '2027-06-01T12:00:00Z',
    valid_until: end.replace('.000Z', '.000000999Z'),
    bet_amounts: [
      { amount: '01.00', currency: 'EUR' },
      { amount: '0000000000001.20', currency: 'USD' },
    ],
    config: { ...config, min_coefficient: '1.2', max_coefficient: '000005' },
  };
  for (const same of [body, reversed(body), otherWords]) {
    const answer = await sendText('CampaignCreate', JSON.stringify(same, null, 3));
    assert.deepEqual(accepted('CampaignCreate', answer), first);
  }
  const text = JSON.stringify(body)
    .replace('"quantity":3', '\t"quantity"\r\n: 3.0e0 ')
    .replace('"name"', '"n\\u0061me"');
  assert.deepEqual(accepted('CampaignCreate', await sendText('CampaignCreate', text)), first);
  const { created_at } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'again' }));
  assert.equal(created_at, noon);
});

test('a campaign created again after its end, its stop and its last place gets the first answer', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', wholeCampaign('long-gone')));
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'long-gone' }));
  await setClock(sql, later(end, 1));
  const again = await call(url, 'CampaignCreate', wholeCampaign('long-gone'));
  assert.deepEqual(accepted('CampaignCreate', again), { campaign_id: 'long-gone' });
});

test('a campaign id with any other value is refused, and the campaign stays as it was', async () => {
  const body = wholeCampaign('mine');
  accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
  const before = (await call(url, 'CampaignGet', { campaign_id: 'mine' })).body;
  const { duration_min: _, ...withoutDuration } = body as typeof body & { duration_min: number };
  const others = [
    { ...body, name: 'A  campaign' },
    { ...body, quantity: 4 },
    { ...body, valid_from: later(noon, 1) },
    { ...body, valid_until: later(end, 1) },
    { ...body, games: games.ofFirstProvider.slice(0, 2) },
    { ...body, bet_amounts: body.bet_amounts.slice(0, 1) },
    { ...body, bet_amounts: [{ currency: 'EUR', amount: '1.01' }, body.bet_amounts[1]] },
    { ...body, duration_min: 6 },
    withoutDuration,
    ...Object.keys(config).map((key) => ({ ...body, config: { ...config, [key]: undefined } })),
    { ...body, config: { ...config, bonus_limit: 4 } },
    { ...body, config: { ...config, min_coefficient: '1.2001' } },
  ];
  for (const other of others) refused('id_reused', await call(url, 'CampaignCreate', other));
  assert.deepEqual((await call(url, 'CampaignGet', { campaign_id: 'mine' })).body, before);
});

test('an id in use with other content is refused before any other error', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', wholeCampaign('in-use')));
  const wrong = { ...wholeCampaign('in-use'), games: ['no-such-game'] };
  refused('id_reused', await call(url, 'CampaignCreate', wrong));
});

test('a direct issue again, in other words, is the same free bet', async () => {
  const issueId = 'abcdefab-cdef-4bcd-8fab-abcdefabcdef';
  const body = { client_id: demo.clientId, ...wholeIssue(issueId) };
  const first = accepted('Issue', await call(url, 'Issue', body));
  await setClock(sql, later(noon, 1000));
  const otherWords = {
    ...body,
    issue_id: issueId.toUpperCase(),
    bet_amount: '01.00',
    config: { min_coefficient: '1.2' },
  };
  for (const same of [body, reversed(body), otherWords]) {
    assert.deepEqual(accepted('Issue', await sendText('Issue', JSON.stringify(same, null, 1))), first);
  }
});

test('an issue id with any other value is refused, and the free bet stays as it was', async () => {
  const issueId = randomUUID();
  const body = wholeIssue(issueId);
  accepted('Issue', await call(url, 'Issue', body));
  accepted('CampaignCreate', await call(url, 'CampaignCreate', wholeCampaign('other-form')));
  const before = (await call(url, 'FreeBetGet', { issue_id: issueId })).body;
  const { valid_from: _, ...fromNow } = body as typeof body & { valid_from: string };
  const others = [
    { ...body, player_id: 'player-2' },
    { ...body, currency: 'USD' },
    { ...body, bet_amount: '1.01' },
    { ...body, quantity: 2 },
    { ...body, games: games.ofFirstProvider.slice(0, 2) },
    { ...body, valid_until: later(end, 1) },
    fromNow,
    { ...body, name: 'Two' },
    { ...body, duration_min: 6 },
    { ...body, config: {} },
    { issue_id: issueId, campaign_id: 'other-form', player_id: 'player-1', currency: 'EUR' },
  ];
  for (const other of others) refused('id_reused', await call(url, 'Issue', other));
  assert.deepEqual((await call(url, 'FreeBetGet', { issue_id: issueId })).body, before);
});

test('a repeated issue returns the first response despite later changes', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', wholeCampaign('eventful')));
  const item = { issue_id: randomUUID(), campaign_id: 'eventful', player_id: 'anna', currency: 'EUR' };
  const first = accepted('Issue', await call(url, 'Issue', item));
  const again = async () => accepted('Issue', await call(url, 'Issue', item));
  const fill = { campaign_id: 'eventful', player_id: 'anna', currency: 'EUR' };
  accepted('Issue', await call(url, 'Issue', fill));
  refused('bonus_limit_per_user_reached', await call(url, 'Issue', fill));
  assert.deepEqual(await again(), first, 'the limit of the player is reached');
  accepted('Issue', await call(url, 'Issue', { ...fill, player_id: 'ben' }));
  refused('bonus_limit_reached', await call(url, 'Issue', { ...fill, player_id: 'cleo' }));
  assert.deepEqual(await again(), first, 'the limit of the campaign is reached');
  accepted('Cancel', await call(url, 'Cancel', { issue_id: item.issue_id }));
  assert.deepEqual(await again(), first, 'it is cancelled');
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'eventful' }));
  assert.deepEqual(await again(), first, 'the campaign is stopped');
  await setClock(sql, end);
  assert.deepEqual(await again(), first, 'the campaign has ended');
  const now = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: item.issue_id }));
  assert.equal(now.status, 'cancelled');
  const { counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'eventful' }));
  assert.deepEqual([counts.issued, counts.cancelled], [3, 1]);
  for (const change of [{ player_id: 'ben' }, { currency: 'USD' }, { campaign_id: 'elsewhere' }]) {
    refused('id_reused', await call(url, 'Issue', { ...item, ...change }));
  }
});

test('a free bet issued before valid_from answers "issued" again, though it is active by then', async () => {
  const body = directIssue({ issue_id: randomUUID(), valid_from: later(noon, 1000), valid_until: end });
  const first = accepted('Issue', await call(url, 'Issue', body));
  assert.equal(first.status, 'issued');
  await setClock(sql, end);
  assert.deepEqual(accepted('Issue', await call(url, 'Issue', body)), first);
});
