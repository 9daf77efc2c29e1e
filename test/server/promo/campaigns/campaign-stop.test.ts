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
const validity = { valid_from: now, valid_until: later(now, 3_600_000) };

const create = async (campaign_id: string, changes: object = {}) =>
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, ...validity, ...changes })));
const get = async (campaign_id: string) => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
const stop = (campaign_id: string) => call(url, 'CampaignStop', { campaign_id });
const issue = (campaign_id: string) => call(url, 'Issue', { campaign_id, player_id: 'someone', currency: 'EUR' });

test('a stopped campaign issues no more; what it issued lives on', async () => {
  await create('to-stop');
  const issued = accepted('Issue', await issue('to-stop'));
  assert.deepEqual(accepted('CampaignStop', await stop('to-stop')), {});
  refused('campaign_stopped', await issue('to-stop'));
  const { status, stopped_at, counts } = await get('to-stop');
  assert.deepEqual({ status, stopped_at }, { status: 'stopped', stopped_at: now });
  assert.equal(counts.issued, 1);
  const read = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: issued.issue_id }));
  assert.equal(read.status, 'active');
  assert.deepEqual(accepted('Cancel', await call(url, 'Cancel', { issue_id: issued.issue_id })), {});
});

test('stopping again answers the same, and keeps the time of the first', async () => {
  await create('twice');
  accepted('CampaignStop', await stop('twice'));
  await setClock(sql, later(now, 1000));
  assert.deepEqual(accepted('CampaignStop', await stop('twice')), {});
  assert.equal((await get('twice')).stopped_at, now);
});

test('a campaign that is not there cannot be stopped', async () => {
  refused('campaign_not_found', await stop('nowhere'));
});

test('stopped is for good: over scheduled, exhausted and ended', async () => {
  await create('scheduled', { valid_from: later(now, 1000) });
  await create('exhausted', { config: { bonus_limit: 1 } });
  const issued = accepted('Issue', await issue('exhausted'));
  for (const id of ['scheduled', 'exhausted']) accepted('CampaignStop', await stop(id));
  accepted('Cancel', await call(url, 'Cancel', { issue_id: issued.issue_id }));
  refused('campaign_stopped', await issue('exhausted'));
  await create('ended');
  await setClock(sql, validity.valid_until);
  accepted('CampaignStop', await stop('ended'));
  for (const id of ['scheduled', 'exhausted', 'ended']) {
    assert.equal((await get(id)).status, 'stopped');
    refused('campaign_stopped', await issue(id));
  }
});
