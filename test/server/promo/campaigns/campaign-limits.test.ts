import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { assertCountsHold } from '../../../support/invariants.ts';
import { campaign } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const now = '2027-06-01T12:00:00.000Z';
const validity = { valid_from: now, valid_until: later(now, 3_600_000) };
beforeEach(() => setClock(sql, now));

const create = async (campaign_id: string, config: object = {}) =>
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, ...validity, config })));
const get = async (campaign_id: string) => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
const limit = (campaign_id: string, bonus_limit: unknown, bonus_limit_per_user: unknown) =>
  call(url, 'CampaignLimits', { campaign_id, bonus_limit, bonus_limit_per_user });
const limited = async (...given: Parameters<typeof limit>) => accepted('CampaignLimits', await limit(...given));
const issue = (campaign_id: string, player_id = 'anna') =>
  call(url, 'Issue', { campaign_id, player_id, currency: 'EUR' });
const given = async (campaign_id: string, player_id = 'anna'): Promise<string> =>
  accepted('Issue', await issue(campaign_id, player_id)).issue_id;
const cancel = async (issue_id: string) => accepted('Cancel', await call(url, 'Cancel', { issue_id }));

test('the answer is the campaign with the limits in force, which every other answer then shows', async () => {
  await create('shown', { bonus_limit: 5, max_coefficient: '5.00' });
  await setClock(sql, later(now, 1000));
  const body = await limited('shown', 8, 2);
  assert.deepEqual(body.config, {
    bonus_limit: 8,
    bonus_limit_per_user: 2,
    min_coefficient: null,
    max_coefficient: '5.00',
  });
  assert.equal(body.limits_changed_at, later(now, 1000));
  const { counts: _, winnings: __, exposure: ___, ...read } = await get('shown');
  assert.deepEqual(read, body);
  const { campaigns } = accepted('CampaignList', await call(url, 'CampaignList', {}));
  assert.deepEqual(campaigns.find((each: { campaign_id: string }) => each.campaign_id === 'shown').config, body.config);
  const last = (await readFeed(url)).at(-1);
  assert.deepEqual([last?.type, last?.data], ['campaign.limits_changed', { campaign: body }]);
});

test('the same limits again change nothing and tell nothing', async () => {
  await create('again', { bonus_limit: 5 });
  assert.equal((await limited('again', 5, null)).limits_changed_at, null);
  const first = await limited('again', 6, null);
  const emitted = (await readFeed(url)).length;
  await setClock(sql, later(now, 1000));
  assert.deepEqual(await limited('again', 6, null), first);
  assert.equal((await readFeed(url)).length, emitted);
  accepted(
    'CampaignCreate',
    await call(url, 'CampaignCreate', campaign({ campaign_id: 'again', ...validity, config: { bonus_limit: 5 } })),
  );
});

test('a lower limit takes nothing back and gives nothing more; a higher one gives the difference', async () => {
  await create('moving', { bonus_limit: 3 });
  const ids = [await given('moving'), await given('moving', 'ben')];
  assert.equal((await limited('moving', 1, null)).status, 'exhausted');
  refused('bonus_limit_reached', await issue('moving', 'cleo'));
  assert.equal((await get('moving')).counts.issued, 2);
  await cancel(ids[0] as string);
  refused('bonus_limit_reached', await issue('moving', 'cleo'));
  const exhausted = accepted('CampaignList', await call(url, 'CampaignList', { status: 'exhausted' }));
  assert.equal(exhausted.campaigns[0].campaign_id, 'moving');
  await limited('moving', 2, null);
  await given('moving', 'cleo');
  refused('bonus_limit_reached', await issue('moving', 'dora'));
  await limited('moving', null, null);
  await given('moving', 'dora');
  assert.equal((await get('moving')).status, 'active');
});

test('a limit for players that is added later counts what each of them was given before', async () => {
  await create('late-limit');
  const [first = ''] = [await given('late-limit'), await given('late-limit'), await given('late-limit', 'ben')];
  await limited('late-limit', null, 2);
  refused('bonus_limit_per_user_reached', await issue('late-limit'));
  await given('late-limit', 'ben');
  refused('bonus_limit_per_user_reached', await issue('late-limit', 'ben'));
  await cancel(first);
  await cancel(first);
  await given('late-limit');
  refused('bonus_limit_per_user_reached', await issue('late-limit'));
  await limited('late-limit', null, null);
  await given('late-limit');
  await limited('late-limit', null, 3);
  refused('bonus_limit_per_user_reached', await issue('late-limit'));
  await given('late-limit', 'ben');
  refused(
    'bonus_limit_per_user_reached',
    await call(url, 'Issue', { campaign_id: 'late-limit', player_id: 'ben', currency: 'EUR', dry_run: true }),
  );
  await assertCountsHold(sql);
});

test('a player whose first change is a cancellation is counted as well', async () => {
  await create('cancel-first');
  const [first = ''] = [await given('cancel-first'), await given('cancel-first')];
  await limited('cancel-first', null, 2);
  await cancel(first);
  await given('cancel-first');
  refused('bonus_limit_per_user_reached', await issue('cancel-first'));
  await assertCountsHold(sql);
});

test('concurrent issues and limit changes of one campaign work in any order', async () => {
  for (let round = 0; round < 5; round++) {
    const id = `together-${round}`;
    await create(id);
    await given(id);
    // One server carries them out in one batch or in a few.
    const answers = await Promise.all([
      issue(id),
      issue(id),
      limit(id, null, 2),
      issue(id),
      issue(id),
      issue(id, 'ben'),
      limit(id, 3, 2),
      issue(id, 'ben'),
    ]);
    for (const { status } of answers) assert.ok(status === 200 || status === 409);
    await assertCountsHold(sql);
    refused('bonus_limit_reached', await issue(id, 'ben'));
    await limited(id, null, 2);
    refused('bonus_limit_per_user_reached', await issue(id));
  }
});

test('both limits are asked for, each a number or null', async () => {
  await create('fields');
  for (const field of ['bonus_limit', 'bonus_limit_per_user']) {
    const rest = { campaign_id: 'fields', bonus_limit: null, bonus_limit_per_user: null };
    for (const wrong of ['5', 0, -1, 1.5, 2_147_483_648, 1e300, true, [], undefined]) {
      refused('invalid_request', await call(url, 'CampaignLimits', { ...rest, [field]: wrong }), [field]);
    }
    for (const right of [1, 2_147_483_647, null]) {
      accepted('CampaignLimits', await call(url, 'CampaignLimits', { ...rest, [field]: right }));
    }
  }
  refused('invalid_request', await call(url, 'CampaignLimits', { campaign_id: 'fields' }), [
    'bonus_limit',
    'bonus_limit_per_user',
  ]);
  refused('invalid_request', await call(url, 'CampaignLimits', { config: {} }), [
    'bonus_limit',
    'bonus_limit_per_user',
    'campaign_id',
    'config',
  ]);
  refused('campaign_not_found', await limit('nowhere', 1, 1));
});

test('events of a version that knew neither pause nor limits are read as they were', async () => {
  await create('old', { bonus_limit: 7 });
  await sql.query(
    `UPDATE event_batches SET events = (
       SELECT json_agg(json_build_object('id', e ->> 'id', 'type', e ->> 'type', 'campaignId', e ->> 'campaignId',
         'state', (e -> 'state')::jsonb - 'pausedAt' - 'changedLimits')) FROM json_array_elements(events) e)
     WHERE client_id = 1 AND last_sequence = (SELECT last_sequence FROM event_heads WHERE client_id = 1)`,
  );
  const last = (await readFeed(url)).at(-1);
  assert.ok(last && 'campaign' in last.data);
  const { status, paused_at, limits_changed_at, config } = last.data.campaign;
  assert.deepEqual([status, paused_at, limits_changed_at, config.bonus_limit], ['active', null, null, 7]);
});
