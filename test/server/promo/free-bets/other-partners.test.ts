import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

// Data of another partner looks nonexistent: the responses are equal to the byte, except for the request id.

const { env } = await testDatabase();
const { url } = await testServer(env);

const issue_id = randomUUID();
accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'mine' })));
accepted('Issue', await call(url, 'Issue', { issue_id, campaign_id: 'mine', player_id: 'anna', currency: 'EUR' }));

const bytesOf = ({ text, body }: { text: string; body: { request_id: string } }) => text.replace(body.request_id, '');

test("another partner's campaign can be neither read, changed nor issued from", async () => {
  const limits = { bonus_limit: 1, bonus_limit_per_user: null };
  for (const name of ['CampaignGet', 'CampaignStop', 'CampaignPause', 'CampaignResume', 'CampaignLimits'] as const) {
    const rest = name === 'CampaignLimits' ? limits : {};
    const theirs = await call(url, name, { campaign_id: 'mine', ...rest }, rival);
    const nobodys = await call(url, name, { campaign_id: 'nowhere', ...rest }, rival);
    refused('campaign_not_found', theirs);
    assert.equal(bytesOf(theirs), bytesOf(nobodys));
  }
  const item = { campaign_id: 'mine', player_id: 'anna', currency: 'EUR' };
  refused('campaign_not_found', await call(url, 'Issue', item, rival));
  const { results } = accepted('IssueBatch', await call(url, 'IssueBatch', { items: [item] }, rival));
  assert.equal(results[0].error.error, 'campaign_not_found');
  const { status, counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'mine' }));
  assert.deepEqual([status, counts.issued], ['active', 1]);
});

test("another partner's free bet can be neither read nor cancelled", async () => {
  for (const name of ['FreeBetGet', 'Cancel'] as const) {
    const theirs = await call(url, name, { issue_id }, rival);
    const nobodys = await call(url, name, { issue_id: randomUUID() }, rival);
    refused('free_bet_not_found', theirs);
    assert.equal(bytesOf(theirs), bytesOf(nobodys));
  }
  const { results } = accepted('CancelBatch', await call(url, 'CancelBatch', { issue_ids: [issue_id] }, rival));
  assert.equal(results[0].error.error, 'free_bet_not_found');
  assert.equal(accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id })).status, 'active');
});

test('lists contain only your own items, with and without filters', async () => {
  const nothing = { free_bets: [], next_cursor: null };
  for (const filter of [{}, { campaign_id: 'mine' }, { player_id: 'anna' }, { status: 'active' }]) {
    assert.deepEqual(accepted('FreeBetList', await call(url, 'FreeBetList', filter, rival)), nothing);
  }
  const { campaigns } = accepted('CampaignList', await call(url, 'CampaignList', {}, rival));
  assert.deepEqual(campaigns, []);
});

test('two partners may use the same ids for different things', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'mine', quantity: 9 }), rival));
  const body = directIssue({ issue_id, player_id: 'anna', quantity: 8 });
  accepted('Issue', await call(url, 'Issue', body, rival));
  accepted('Cancel', await call(url, 'Cancel', { issue_id }, rival));
  const quantityOf = async (partner: typeof demo) =>
    accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'mine' }, partner)).quantity;
  assert.deepEqual([await quantityOf(demo), await quantityOf(rival)], [3, 9]);
  const own = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
  assert.deepEqual([own.status, own.quantity, own.campaign_id], ['active', 3, 'mine']);
});

test('the limits of one partner are not used up by another with the same ids', async () => {
  const limited = campaign({ campaign_id: 'one-each', config: { bonus_limit: 1, bonus_limit_per_user: 1 } });
  const item = { campaign_id: 'one-each', player_id: 'anna', currency: 'EUR' };
  for (const partner of [demo, rival]) {
    accepted('CampaignCreate', await call(url, 'CampaignCreate', limited, partner));
    accepted('Issue', await call(url, 'Issue', item, partner));
    refused('bonus_limit_reached', await call(url, 'Issue', item, partner));
  }
});

test('a cursor of one partner shows another nothing that is not its own', async () => {
  accepted('Issue', await call(url, 'Issue', directIssue()));
  const { next_cursor } = accepted('FreeBetList', await call(url, 'FreeBetList', { limit: 1 }));
  const { free_bets } = accepted('FreeBetList', await call(url, 'FreeBetList', { cursor: next_cursor }, rival));
  const own = accepted('FreeBetList', await call(url, 'FreeBetList', {}, rival)).free_bets;
  const ids = new Set(own.map((freeBet: { issue_id: string }) => freeBet.issue_id));
  for (const freeBet of free_bets) assert.ok(ids.has(freeBet.issue_id));
});
