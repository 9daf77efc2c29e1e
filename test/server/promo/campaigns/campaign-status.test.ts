import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const noon = '2027-06-01T12:00:00.000Z';
const at = (ms: number) => later(noon, ms);
const validity = { valid_from: at(1000), valid_until: at(2000) };

async function create(campaign_id: string, changes: object = {}): Promise<void> {
  await setClock(sql, noon);
  const body = campaign({ campaign_id, ...validity, ...changes });
  accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
}

async function issue(campaign_id: string): Promise<string> {
  const answer = await call(url, 'Issue', { campaign_id, player_id: 'someone', currency: 'EUR' });
  return accepted('Issue', answer).issue_id;
}

const cancel = async (issue_id: string) => accepted('Cancel', await call(url, 'Cancel', { issue_id }));

/** Checks that the campaign and the lists by status agree. */
async function assertStatus(campaign_id: string, expected: string): Promise<void> {
  const { status } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
  assert.equal(status, expected);
  for (const status of ['scheduled', 'active', 'exhausted', 'ended', 'stopped']) {
    const { campaigns } = accepted('CampaignList', await call(url, 'CampaignList', { status }));
    const listed = campaigns.filter((found: { campaign_id: string }) => found.campaign_id === campaign_id);
    assert.equal(listed.length, status === expected ? 1 : 0, `listed as ${status}`);
    if (listed.length > 0) assert.equal(listed[0].status, status);
  }
}

test('scheduled until valid_from, active at it, ended at valid_until: to the millisecond', async () => {
  await create('by-dates');
  const course: [number, string][] = [
    [0, 'scheduled'],
    [999, 'scheduled'],
    [1000, 'active'],
    [1999, 'active'],
    [2000, 'ended'],
    [9000, 'ended'],
  ];
  for (const [ms, status] of course) {
    await setClock(sql, at(ms));
    await assertStatus('by-dates', status);
  }
});

test('exhausted while the limit is reached, and active again after a cancel', async () => {
  await create('limited', { config: { bonus_limit: 2 } });
  await setClock(sql, at(1500));
  await issue('limited');
  await assertStatus('limited', 'active');
  const second = await issue('limited');
  await assertStatus('limited', 'exhausted');
  await cancel(second);
  await assertStatus('limited', 'active');
  await issue('limited');
  await assertStatus('limited', 'exhausted');
  await setClock(sql, at(2000));
  await assertStatus('limited', 'ended');
});

test('a scheduled campaign can be exhausted before it begins, and scheduled again', async () => {
  await create('early', { config: { bonus_limit: 1 } });
  const issueId = await issue('early');
  await assertStatus('early', 'exhausted');
  await cancel(issueId);
  await assertStatus('early', 'scheduled');
});

test('an expired free bet leaves its campaign exhausted', async () => {
  await create('spent', { valid_until: at(3_600_000), duration_min: 1, config: { bonus_limit: 1 } });
  await setClock(sql, at(1000));
  const issueId = await issue('spent');
  await setClock(sql, at(1000 + 60_000));
  await assertStatus('spent', 'exhausted');
  refused('free_bet_expired', await call(url, 'Cancel', { issue_id: issueId }));
  await assertStatus('spent', 'exhausted');
});

test('stopped takes precedence over every other status', async () => {
  await create('stopped', { config: { bonus_limit: 1 } });
  await issue('stopped');
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'stopped' }));
  for (const ms of [0, 1500, 2000]) {
    await setClock(sql, at(ms));
    await assertStatus('stopped', 'stopped');
  }
});
