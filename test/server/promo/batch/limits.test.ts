import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
beforeEach(() => setClock(sql, null));

async function create(campaign_id: string, config: object, changes: object = {}): Promise<void> {
  const body = campaign({ campaign_id, config, ...changes });
  accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
}

const issue = (campaign_id: string, player_id: string) =>
  call(url, 'Issue', { campaign_id, player_id, currency: 'EUR' });
const given = async (campaign_id: string, player_id: string): Promise<string> =>
  accepted('Issue', await issue(campaign_id, player_id)).issue_id;
const cancel = async (issue_id: string) => accepted('Cancel', await call(url, 'Cancel', { issue_id }));

test('bonus_limit is how many the campaign gives in all', async () => {
  await create('in-all', { bonus_limit: 2 });
  await given('in-all', 'anna');
  await given('in-all', 'ben');
  refused('bonus_limit_reached', await issue('in-all', 'cleo'));
  refused('bonus_limit_reached', await issue('in-all', 'anna'));
});

test('bonus_limit_per_user is how many one player gets', async () => {
  await create('per-user', { bonus_limit_per_user: 2 });
  await given('per-user', 'anna');
  await given('per-user', 'anna');
  refused('bonus_limit_per_user_reached', await issue('per-user', 'anna'));
  await given('per-user', 'ben');
  await given('per-user', 'Anna');
  await given('per-user', 'anna ');
});

test('without limits there are none, and one campaign does not count for another', async () => {
  await create('free-for-all', {});
  await create('one-only', { bonus_limit: 1, bonus_limit_per_user: 1 });
  await create('one-only-too', { bonus_limit: 1, bonus_limit_per_user: 1 });
  for (let i = 0; i < 5; i++) await given('free-for-all', 'anna');
  await given('one-only', 'anna');
  await given('one-only-too', 'anna');
  accepted('Issue', await call(url, 'Issue', directIssue({ player_id: 'anna' })));
});

test('a cancelled free bet gives its place back to both limits, once', async () => {
  await create('given-back', { bonus_limit: 2, bonus_limit_per_user: 1 });
  const annas = await given('given-back', 'anna');
  await given('given-back', 'ben');
  refused('bonus_limit_reached', await issue('given-back', 'cleo'));
  await cancel(annas);
  await cancel(annas);
  await given('given-back', 'anna');
  refused('bonus_limit_reached', await issue('given-back', 'cleo'));
});

test('a place of one player goes back to that player only', async () => {
  await create('own-place', { bonus_limit_per_user: 1 });
  const annas = await given('own-place', 'anna');
  await given('own-place', 'ben');
  await cancel(annas);
  refused('bonus_limit_per_user_reached', await issue('own-place', 'ben'));
  await given('own-place', 'anna');
  refused('bonus_limit_per_user_reached', await issue('own-place', 'anna'));
});

test('an expired free bet gives its place back to neither limit', async () => {
  const noon = '2027-06-01T12:00:00.000Z';
  await setClock(sql, noon);
  const terms = { valid_from: noon, valid_until: later(noon, 3_600_000), duration_min: 1 };
  await create('in-all-expired', { bonus_limit: 1 }, terms);
  await create('per-user-expired', { bonus_limit_per_user: 1 }, terms);
  await given('in-all-expired', 'anna');
  await given('per-user-expired', 'anna');
  await setClock(sql, later(noon, 120_000));
  refused('bonus_limit_reached', await issue('in-all-expired', 'ben'));
  refused('bonus_limit_per_user_reached', await issue('per-user-expired', 'anna'));
});

test('a place refused for one limit is not taken from the other', async () => {
  await create('both', { bonus_limit: 2, bonus_limit_per_user: 1 });
  await given('both', 'anna');
  for (let i = 0; i < 3; i++) refused('bonus_limit_per_user_reached', await issue('both', 'anna'));
  await given('both', 'ben');
  refused('bonus_limit_reached', await issue('both', 'cleo'));
});
