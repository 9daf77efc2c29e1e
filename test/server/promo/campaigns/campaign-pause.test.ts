import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { campaign } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const now = '2027-06-01T12:00:00.000Z';
beforeEach(() => setClock(sql, now));
const validity = { valid_from: now, valid_until: later(now, 3_600_000) };

const create = async (campaign_id: string, changes: object = {}) =>
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, ...validity, ...changes })));
const get = async (campaign_id: string) => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
const issue = (campaign_id: string, changes: object = {}) =>
  call(url, 'Issue', { campaign_id, player_id: 'someone', currency: 'EUR', ...changes });

async function change(name: 'CampaignPause' | 'CampaignResume' | 'CampaignStop', campaign_id: string): Promise<void> {
  assert.deepEqual(accepted(name, await call(url, name, { campaign_id })), {});
}

/** The events of the campaign, in order. */
async function toldOf(campaignId: string) {
  const events = await readFeed(url);
  return events.flatMap(({ type, data }) =>
    'campaign' in data && data.campaign.campaign_id === campaignId ? [`${type} ${data.campaign.status}`] : [],
  );
}

test('a paused campaign issues nothing until it is resumed; what it issued lives on', async () => {
  await create('to-pause');
  const issue_id = '5e9a1f00-0000-4000-8000-000000000001';
  const issued = accepted('Issue', await issue('to-pause', { issue_id }));
  await change('CampaignPause', 'to-pause');
  refused('campaign_paused', await issue('to-pause'));
  const { results } = accepted(
    'IssueBatch',
    await call(url, 'IssueBatch', { items: [{ campaign_id: 'to-pause', player_id: 'x', currency: 'EUR' }] }),
  );
  assert.equal(results[0].error.code, 634);
  assert.deepEqual(
    accepted('Issue', await issue('to-pause', { issue_id })),
    issued,
    'a repeated issue returns the first response',
  );
  const { status, paused_at } = await get('to-pause');
  assert.deepEqual([status, paused_at], ['paused', now]);
  assert.equal(accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id })).status, 'active');
  accepted('Cancel', await call(url, 'Cancel', { issue_id }));
  await change('CampaignResume', 'to-pause');
  const resumed = await get('to-pause');
  assert.deepEqual([resumed.status, resumed.paused_at], ['active', null]);
  accepted('Issue', await issue('to-pause'));
});

test('again it answers the same, keeps the time of the first, and tells nothing', async () => {
  await create('twice');
  await change('CampaignResume', 'twice');
  await change('CampaignPause', 'twice');
  await setClock(sql, later(now, 1000));
  await change('CampaignPause', 'twice');
  assert.equal((await get('twice')).paused_at, now);
  await change('CampaignResume', 'twice');
  await change('CampaignResume', 'twice');
  assert.deepEqual(await toldOf('twice'), [
    'campaign.created active',
    'campaign.paused paused',
    'campaign.resumed active',
  ]);
});

test('paused comes behind stopped and ended, and before exhausted and scheduled', async () => {
  await create('full', { config: { bonus_limit: 1 } });
  accepted('Issue', await issue('full'));
  await create('later', { valid_from: later(now, 1000) });
  for (const id of ['full', 'later']) {
    await change('CampaignPause', id);
    assert.equal((await get(id)).status, 'paused');
  }
  const listed = accepted('CampaignList', await call(url, 'CampaignList', { status: 'paused' }));
  assert.deepEqual(listed.campaigns.map((each: { campaign_id: string }) => each.campaign_id).toSorted(), [
    'full',
    'later',
  ]);
  await setClock(sql, validity.valid_until);
  assert.equal((await get('later')).status, 'ended');
  refused('campaign_ended', await issue('later'));
  await change('CampaignStop', 'later');
  assert.equal((await get('later')).status, 'stopped');
});

test('one that was stopped or has ended stays as it is', async () => {
  await create('stopped');
  await create('paused-and-stopped');
  await create('ended');
  await change('CampaignStop', 'stopped');
  await change('CampaignPause', 'paused-and-stopped');
  await change('CampaignStop', 'paused-and-stopped');
  await setClock(sql, validity.valid_until);
  for (const id of ['stopped', 'paused-and-stopped', 'ended']) {
    const before = await get(id);
    await change('CampaignPause', id);
    await change('CampaignResume', id);
    assert.deepEqual(await get(id), before);
    assert.ok((await toldOf(id)).length <= 3);
  }
});

test('a request that names no campaign, or none that is there, is refused', async () => {
  for (const name of ['CampaignPause', 'CampaignResume'] as const) {
    refused('campaign_not_found', await call(url, name, { campaign_id: 'nowhere' }));
    refused('invalid_request', await call(url, name, {}), ['campaign_id']);
    for (const wrong of [7, null, '', 'x'.repeat(65), ['a']]) {
      refused('invalid_request', await call(url, name, { campaign_id: wrong }), ['campaign_id']);
    }
    refused('invalid_request', await call(url, name, { campaign_id: 'x', reason: 'why' }), ['reason']);
  }
});
