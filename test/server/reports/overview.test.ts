import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { allCounted } from '../../support/activity.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../support/caller.ts';
import { setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { drafted, inEuro, submitted } from '../../support/drafts.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { campaign, directIssue, games, job, jobItems } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { answered, type Staff, signedIn, staffCall } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';
import { createPartners, setWebhook } from '../../support/webhooks.ts';

// The overview for one partner or for all in scope.

const { env, sql } = await testDatabase();
const [real] = (await createPartners({ env, sql }, 1)) as [Partner];
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000', APPROVAL_LIMITS: 'EUR:1' });
const year = { valid_from: '2031-01-01T00:00:00Z', valid_until: '2032-01-01T00:00:00Z' };

const issue = async (body: object, partner = real): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', { player_id: 'player-1', ...body }, partner)).issue_id;

const create = async (campaign_id: string, changes: object, partner = real) =>
  accepted(
    'CampaignCreate',
    await call(url, 'CampaignCreate', campaign({ ...year, campaign_id, ...changes }), partner),
  );

// The clocks of Berlin are set forward in between.
const hours = ['2031-03-24T07:30:00Z', '2031-03-24T08:10:00Z', '2031-03-31T06:20:00Z', '2031-03-31T08:15:00Z'];
for (const [i, hour] of hours.entries()) {
  await setClock(sql, hour);
  if (i === 0) {
    await create('half', { config: { bonus_limit: 10, max_coefficient: '3.00' } });
    await create('most', { config: { bonus_limit: 4, max_coefficient: '1.505' }, quantity: 1 });
    await create('none', {});
    await create('stopped', {});
    await create('later', { valid_from: '2031-06-01T00:00:00Z' });
    await create('over', { valid_until: '2031-03-25T00:00:00Z' });
    await create('of-a-sandbox', { config: { bonus_limit: 1 } }, rival);
  }
  for (let n = 0; n <= i; n++) await issue({ campaign_id: 'half', currency: 'EUR' });
  if (i > 1) await issue({ campaign_id: 'most', currency: 'USD' });
}
accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'stopped' }, real));
await issue({ campaign_id: 'of-a-sandbox', currency: 'EUR' }, rival);
const bet = { bet_id: randomUUID(), player_id: 'player-1', game_id: games.one, client_id: real.clientId };
const issue_id = await issue({ campaign_id: 'most', currency: 'USD' });
accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', { ...bet, issue_id }));
const settlement = { bet_id: bet.bet_id, client_id: real.clientId, result: 'won', coefficient: '1.50' };
accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', settlement));
await allCounted(sql);
await setClock(sql, '2031-03-31T08:45:00Z');

const [manager, colleague, ofRival, viewer] = (await Promise.all([
  signedIn(sql, 'manager'),
  signedIn(sql, 'manager'),
  signedIn(sql, 'manager', [rival.clientId]),
  signedIn(sql, 'viewer'),
])) as [Staff, Staff, Staff, Staff];

const began = performance.now();
const overview = (body: object = {}, who = manager) => answered(url, 'OverviewGet', body, who);
const none = { issued: 0, bets: 0, staked: '0.00', won: '0.00' };
const issued = (count: number) => ({ ...none, issued: count });

test('today against the same hours a week before, by the days of a zone', async () => {
  const { figures, now, sandboxes } = await overview({ client_id: real.clientId, time_zone: 'Europe/Berlin' });
  assert.deepEqual([now, sandboxes], ['2031-03-31T08:45:00.000Z', false]);
  assert.deepEqual(figures, [
    // 10:45 in Berlin; a week before ten o'clock was 09:00 in UTC.
    { currency: 'EUR', today: issued(7), whole_hours: issued(3), last_week: issued(3) },
    {
      currency: 'USD',
      today: { issued: 3, bets: 1, staked: '1.20', won: '0.60' },
      whole_hours: issued(1),
      last_week: none,
    },
  ]);
  // In UTC the hours end at 08:00 in both weeks.
  const inUtc = await overview({ client_id: real.clientId });
  assert.deepEqual(inUtc.figures[0].last_week, issued(1));
});

test('an unknown time zone is refused', async () => {
  const { status, body } = await staffCall(url, '/Overview/Get', { time_zone: 'Nowhere/At' }, manager);
  assert.deepEqual([status, body.details[0].field], [400, 'time_zone']);
});

test('live campaigns by how much of them is used, and what they could still win', async () => {
  const { campaigns, live_campaigns, exposure } = await overview({ client_id: real.clientId });
  assert.equal(live_campaigns, 3);
  assert.deepEqual(
    campaigns.map((each: Record<string, unknown>) => [each.campaign_id, each.held, each.bonus_limit, each.status]),
    [
      ['half', 10, 10, 'exhausted'],
      ['most', 3, 4, 'active'],
      ['none', 0, null, 'active'],
    ],
  );
  assert.deepEqual(
    campaigns.map((each: Record<string, unknown>) => [each.bets, each.winnings, each.games]),
    [
      [0, [], [games.one]],
      [1, [{ currency: 'USD', amount: '0.60' }], [games.one]],
      [0, [], [games.one]],
    ],
  );
  // As the campaigns themselves say: 30 bets of 2.00 each, and 2 of 0.60, rounded down each.
  assert.deepEqual(exposure, [
    { currency: 'EUR', amount: '60.00' },
    { currency: 'USD', amount: '1.20' },
  ]);
  await create('unbounded', {});
  await issue({ campaign_id: 'unbounded', currency: 'USD' });
  // The exposure is cached for two seconds, for all readers.
  const inDollars = async () => (await overview({ client_id: real.clientId }, colleague)).exposure[1];
  assert.ok((await inDollars()).amount === '1.20' || performance.now() - began > 2000);
  await until('the exposure has no maximum', 3000, async () => (await inDollars()).amount === null);
});

test('over all partners, every figure is about real partners, or every figure is about sandboxes', async () => {
  const ofReal = await overview();
  const ofNamed = await overview({ client_id: real.clientId });
  assert.deepEqual([ofReal.sandboxes, ofReal.exposure[0].amount], [false, '60.00']);
  assert.deepEqual({ ...ofReal, now: null, counted_until: null }, { ...ofNamed, now: null, counted_until: null });
  assert.equal(ofReal.live_campaigns, 4);
  const ofSandboxes = await overview({ sandboxes: true });
  assert.deepEqual([ofSandboxes.sandboxes, ofSandboxes.exposure.length], [true, 1]);
  assert.equal(ofSandboxes.exposure[0].amount, null);
  const live = ofSandboxes.campaigns.map((each: { campaign_id: string; sandbox: boolean }) => [
    each.campaign_id,
    each.sandbox,
  ]);
  assert.deepEqual([ofSandboxes.live_campaigns, live], [1, [['of-a-sandbox', true]]]);
  const own = await overview({ sandboxes: true }, ofRival);
  assert.deepEqual([own.live_campaigns, own.campaigns[0].client_id], [1, rival.clientId]);
  assert.deepEqual((await overview({}, ofRival)).live_campaigns, 0);
});

test('webhooks that fail or are off, and jobs that run', async () => {
  await setWebhook(sql, real, 'https://example.com/');
  assert.deepEqual((await overview()).webhooks, { failing: 0, off: 0, shown: [] });
  await sql.query(`UPDATE webhooks SET failing_since = world_now() WHERE client_id = $1`, [real.clientId]);
  await setWebhook(sql, rival, 'https://example.com/');
  await sql.query(`UPDATE webhooks SET off_at = world_now(), off_reason = 'gone' WHERE client_id = $1`, [
    rival.clientId,
  ]);
  const troubled = async (body: object) => {
    const { failing, off, shown } = (await overview(body)).webhooks;
    return [failing, off, shown.map((each: Record<string, unknown>) => [each.client_id, each.state, each.reason])];
  };
  assert.deepEqual(await troubled({}), [1, 0, [[real.clientId, 'failing', null]]]);
  assert.deepEqual(await troubled({ sandboxes: true }), [0, 1, [[rival.clientId, 'off', 'gone']]]);
  assert.deepEqual((await overview({ client_id: demo.clientId })).webhooks, { failing: 0, off: 0, shown: [] });

  const wanted = job('none');
  accepted('JobCreate', await call(url, 'JobCreate', wanted, real));
  accepted('JobAdd', await call(url, 'JobAdd', { job_id: wanted.job_id, part: 1, items: jobItems(3) }, real));
  assert.equal((await overview()).jobs.running, 0);
  await sql.query(`UPDATE jobs SET started_at = world_now(), lease_holder = job_id, leased_until = 'infinity',
    refused = '{"campaign_ended": 1, "currency_not_allowed": 1}', issued = 1`);
  const { jobs } = await overview();
  assert.equal(jobs.running, 1);
  assert.equal((await overview({ sandboxes: true })).jobs.running, 0);
  const [{ job_id, items, issued, refused, client_id }] = jobs.shown;
  assert.deepEqual([job_id, items, issued, refused, client_id], [wanted.job_id, 3, 1, 2, real.clientId]);
  await sql.query(`UPDATE jobs SET finished_at = world_now(), lease_holder = NULL`);
});

test('approvers see the waiting drafts of others', async () => {
  const approvals = async (who: Staff, body: object = {}) => (await overview(body, who)).approvals;
  assert.deepEqual(await approvals(manager), { waiting: 0, for_me: 0 });
  await submitted(url, inEuro(100, year), manager, { client_id: real.clientId });
  const ofSandbox = await submitted(url, inEuro(100, year), manager);
  assert.deepEqual(await approvals(colleague, { sandboxes: true }), { waiting: 1, for_me: 1 });
  assert.deepEqual(await approvals(colleague, { client_id: demo.clientId }), { waiting: 1, for_me: 1 });
  await drafted(url, 'DraftRefuse', ofSandbox, colleague);
  assert.deepEqual(await approvals(manager), { waiting: 1, for_me: 0 });
  assert.deepEqual(await approvals(colleague), { waiting: 1, for_me: 1 });
  assert.deepEqual(await approvals(viewer), { waiting: 1, for_me: 0 });
  assert.deepEqual(await approvals(ofRival), { waiting: 0, for_me: 0 });
  assert.deepEqual(await approvals(colleague, { client_id: rival.clientId }), { waiting: 0, for_me: 0 });
  await sql.query(`UPDATE drafts SET submitted_at = world_now() - interval '14 days'`);
  assert.deepEqual(await approvals(colleague), { waiting: 0, for_me: 0 });
});

test('a sandbox goes by its own clock', async () => {
  accepted('Issue', await call(url, 'Issue', directIssue({ valid_until: year.valid_until })));
  await call(url, 'SandboxClockSet', { now: '2031-04-02T01:30:00Z' });
  accepted('Issue', await call(url, 'Issue', directIssue({ valid_until: year.valid_until })));
  await allCounted(sql);
  const { figures, now, sandboxes } = await overview({ client_id: demo.clientId });
  assert.deepEqual([now.slice(0, 13), sandboxes], ['2031-04-02T01', true]);
  assert.deepEqual(figures[0].today, issued(1));
});

test('a day on which clocks go back over midnight begins with the first of its two first hours', async () => {
  const time_zone = 'Atlantic/Azores';
  const [first] = (await createPartners({ env, sql }, 1)) as [Partner];
  await setClock(sql, '2031-10-25T23:30:00Z');
  await issue(directIssue(year), first);
  await setClock(sql, '2031-10-26T00:30:00Z');
  await issue(directIssue(year), first);
  await allCounted(sql);
  const readAt = async (now: string) => {
    await setClock(sql, now);
    return (await overview({ client_id: first.clientId, time_zone }, await signedIn(sql, 'manager'))).figures[0];
  };
  assert.deepEqual((await readAt('2031-10-26T10:00:00Z')).today, issued(1));
  assert.deepEqual((await readAt('2031-11-02T10:00:00Z')).last_week, issued(1));
});
