import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it, test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call, demo } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaignOf, draftCall, drafted, inEuro, refusedDraft, saved, submitted } from '../../../support/drafts.ts';
import { readFeed } from '../../../support/feed.ts';
import { holdRows } from '../../../support/held-batch.ts';
import { addParts, jobOver } from '../../../support/jobs.ts';
import { returnStake } from '../../../support/payout.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, directJob, games, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { answered, type Staff, signedIn, staffCall } from '../../../support/staff.ts';

// The payout type is stored with the terms. At a max_coefficient of 1.00 nothing can be won without the stake, so nothing needs approval;
// turning stake_returned on later must not change that.

const { env, sql } = await testDatabase();
const settings = { ...env, APPROVAL_LIMITS: 'EUR:1000' };
const { url } = await testServer(settings);
const turn = (stakeReturned: boolean) => returnStake(sql, [url], demo.clientId, stakeReturned);
const manager = () => signedIn(sql, 'manager');
const approver = await signedIn(sql, 'manager');

afterEach(() => turn(false));

const atOne = { config: { max_coefficient: '1.00' } };
const large = (changes: object = {}) => directIssue({ bet_amount: '900000.00', quantity: 1000, ...atOne, ...changes });
const issueAs = (who: Staff, body: object, at = url) =>
  staffCall(at, '/FreeBets/Issue', { client_id: 1, reason: 'A present', ...body }, who);

async function bet(issue_id: string, player_id = 'player-1'): Promise<string> {
  const bet_id = randomUUID();
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', { bet_id, issue_id, player_id, game_id: games.one }));
  return bet_id;
}

const settle = async (bet_id: string, coefficient = '1.00', at = url): Promise<string> =>
  accepted('RoundsSettle', await callAs(lantern, at, 'RoundsSettle', { bet_id, result: 'won', coefficient }))
    .win_amount;

const winOf = async (issue_id: string, player_id = 'player-1') => settle(await bet(issue_id, player_id));

/** Creates a campaign as the partner's own system does, and issues one free bet of it. */
async function campaignWithFreeBet(changes: object = {}) {
  const config = { max_coefficient: '1.00', bonus_limit: 10 };
  const request = campaign({ campaign_id: randomUUID(), config, ...changes });
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', request));
  const issue = { campaign_id, player_id: 'player-1', currency: 'EUR' };
  const { issue_id } = accepted('Issue', await call(url, 'Issue', issue));
  return { campaign_id, issue_id, request };
}

const exposureOf = async (campaign_id: string) => {
  const { stake_returned, exposure } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
  return [stake_returned, exposure[0].amount];
};

test('a large free bet issued without approval pays nothing at 1.00 after the setting is turned on', async () => {
  const admin = await signedIn(sql, 'admin');
  const given = await issueAs(admin, large());
  assert.equal(given.status, 200, 'it can win nothing');
  const placed = await bet(given.body.issue_id);
  await turn(true);
  assert.equal(await settle(placed), '0.00', 'placed before');
  assert.equal(await winOf(given.body.issue_id), '0.00', 'placed after');
  const refused = await issueAs(admin, large());
  assert.deepEqual([refused.status, refused.body.error], [409, 'approval_needed']);
});

describe('the setting counts', () => {
  it('for campaigns from their creation on, with their exposure', async () => {
    const before = await campaignWithFreeBet();
    await turn(true);
    const after = await campaignWithFreeBet();
    assert.deepEqual(await exposureOf(before.campaign_id), [false, '0.00']);
    assert.deepEqual(await exposureOf(after.campaign_id), [true, '3.00']);
    const issue = { campaign_id: before.campaign_id, player_id: 'player-2', currency: 'EUR' };
    const late = accepted('Issue', await call(url, 'Issue', issue)).issue_id;
    assert.deepEqual([await winOf(before.issue_id), await winOf(late, 'player-2')], ['0.00', '0.00']);
    await turn(false);
    assert.deepEqual(await exposureOf(after.campaign_id), [true, '3.00']);
    assert.equal(await winOf(after.issue_id), '1.00');
    const open = await answered(url, 'OverviewGet', { client_id: 1 }, approver);
    assert.deepEqual(
      open.exposure
        .filter(({ currency }: { currency: string }) => currency === 'EUR')
        .map(({ amount }: { amount: string | null }) => amount),
      ['2.00'],
      'two bets of the second campaign are left',
    );
    const created = (await readFeed(url)).flatMap(({ type, data }) =>
      type === 'campaign.created' && 'campaign' in data ? [data.campaign.stake_returned] : [],
    );
    assert.deepEqual(created.slice(-2), [false, true]);
  });

  it('for direct free bets from their issue on', async () => {
    const issue = async () => accepted('Issue', await call(url, 'Issue', directIssue())).issue_id;
    const before = await issue();
    await turn(true);
    const after = await issue();
    await turn(false);
    assert.deepEqual([await winOf(before), await winOf(after)], ['0.00', '1.00']);
  });

  it('for the items of a direct job from its creation on', async () => {
    const job = directJob();
    accepted('JobCreate', await call(url, 'JobCreate', job));
    await addParts(url, job, [jobItems(2, 'of-job')]);
    await turn(true);
    accepted('JobCreate', await call(url, 'JobCreate', job));
    accepted('JobStart', await call(url, 'JobStart', { job_id: job.job_id, parts: 1, items: 2 }));
    assert.equal((await jobOver(url, job)).issued, 2);
    const { free_bets } = accepted('FreeBetList', await call(url, 'FreeBetList', { player_id: 'of-job-0' }));
    assert.equal(await winOf(free_bets[0].issue_id, 'of-job-0'), '0.00');
  });

  it('for a sandbox round as for any other', async () => {
    const before = accepted('Issue', await call(url, 'Issue', directIssue())).issue_id;
    await turn(true);
    const after = accepted('Issue', await call(url, 'Issue', directIssue())).issue_id;
    const wins: string[] = [];
    for (const issue_id of [before, after]) {
      const round = { issue_id, result: 'won', coefficient: '2.00' };
      wins.push(accepted('SandboxRound', await call(url, 'SandboxRound', round)).bets[0].win_amount);
    }
    assert.deepEqual(wins, ['1.00', '2.00']);
  });
});

test('a repeated request returns the original, also in a dry run', async () => {
  const { campaign_id, request } = await campaignWithFreeBet();
  const direct = directIssue({ issue_id: randomUUID() });
  const first = accepted('Issue', await call(url, 'Issue', direct));
  await turn(true);
  assert.deepEqual(accepted('CampaignCreate', await call(url, 'CampaignCreate', request)), { campaign_id });
  assert.deepEqual(accepted('Issue', await call(url, 'Issue', direct)), first);
  const most = async (body: object) =>
    accepted('CampaignCreate', await call(url, 'CampaignCreate', { ...body, dry_run: true })).max_exposure[0].amount;
  assert.equal(await most(request), '0.00', 'of the existing campaign');
  assert.equal(await most({ ...request, campaign_id: 'another' }), '30.00');
});

describe('a draft that was submitted before the setting changed', () => {
  it('of a campaign is not approved until it is submitted again, also where nothing bounds it', async () => {
    const author = await manager();
    for (const config of [{ bonus_limit: 5000, max_coefficient: '2.00' }, { bonus_limit: 5000 }]) {
      const content = inEuro(5000, { config });
      const name = await submitted(url, content, author);
      assert.equal((await drafted(url, 'DraftGet', { draft_id: name.draft_id }, approver)).stake_returned, false);
      await turn(true);
      assert.equal((await refusedDraft(url, 'DraftApprove', name, approver)).error, 'draft_changed');
      const { draft_id, revision } = name;
      const again = await submitted(url, content, author, { draft_id, revision });
      const shown = await drafted(url, 'DraftGet', { draft_id }, approver);
      assert.equal(shown.stake_returned, true);
      await drafted(url, 'DraftApprove', again, approver);
      assert.equal((await campaignOf(url, again, approver)).stake_returned, true);
      await turn(false);
    }
  });

  it('of limits is measured by the payout type of its campaign', async () => {
    const { campaign_id } = await campaignWithFreeBet();
    await turn(true);
    const content = { campaign_id, bonus_limit: 1_000_000, bonus_limit_per_user: null };
    const name = await saved(url, content, await manager(), { kind: 'limits' });
    const { max_exposure, stake_returned } = await drafted(url, 'DraftGet', { draft_id: name.draft_id }, approver);
    assert.deepEqual([max_exposure[0].amount, stake_returned], ['0.00', null]);
  });

  it('of a job is measured by the payout type of the job, and approved as it was', async () => {
    const author = await manager();
    const job = directJob({ bet_amount: '1000.00', config: { max_coefficient: '2.00' } });
    accepted('JobCreate', await call(url, 'JobCreate', job));
    await addParts(url, job, [jobItems(1, 'drafted')]);
    await turn(true);
    const content = { job_id: job.job_id, parts: 1, items: 1 };
    const name = await submitted(url, content, author, { kind: 'job' });
    const { max_exposure, state } = await drafted(url, 'DraftGet', { draft_id: name.draft_id }, approver);
    assert.deepEqual([state, max_exposure], ['submitted', [{ currency: 'EUR', amount: '3000.00' }]]);
    await turn(false);
    await drafted(url, 'DraftApprove', name, approver);
    await jobOver(url, job);
  });
});

test('a server that has not heard of a change stores and judges by the same old value', async () => {
  // Without an announcement the first server never hears of it; the second one reads it when it starts.
  await sql.query('UPDATE partners SET stake_returned = true WHERE client_id = 1');
  const { url: aware } = await testServer(settings);
  try {
    const author = await manager();
    const worthless = inEuro(1_000_000, { config: { bonus_limit: 1_000_000, max_coefficient: '1.00' } });
    const old = await saved(url, worthless, author);
    assert.equal((await drafted(url, 'DraftSubmit', old, author)).state, 'approved');
    const made = await campaignOf(aware, old, author);
    assert.deepEqual([made.stake_returned, made.exposure], [false, [{ currency: 'EUR', amount: '0.00' }]]);
    const now = await saved(aware, worthless, author);
    const waiting = await drafted(aware, 'DraftSubmit', now, author);
    assert.deepEqual([waiting.state, waiting.max_exposure[0].amount], ['submitted', '1000000.00']);
    const { body } = await draftCall(url, 'DraftApprove', now, approver);
    assert.equal(body.error, 'draft_changed');
    const given = await issueAs(author, large());
    assert.equal(given.status, 200);
    assert.equal(await settle(await bet(given.body.issue_id), '1.00', aware), '0.00');
    assert.equal((await issueAs(author, large(), aware)).body.error, 'approval_needed');
  } finally {
    await sql.query('UPDATE partners SET stake_returned = false WHERE client_id = 1');
  }
});

test('a free bet that staff issue has the payout type that was held for, even if the setting changes in between', async () => {
  const who = await manager();
  const held = await holdRows(sql, 'SELECT FROM staff WHERE staff_id = $1 FOR UPDATE', who.staffId);
  const issuing = issueAs(who, directIssue({ quantity: 1, config: { max_coefficient: '3.00' } }));
  await held.isWaitedFor();
  await turn(true);
  await held.letGo();
  const { status, body } = await issuing;
  assert.equal(status, 200);
  const { rows } = await sql.query('SELECT cents::int FROM unapproved_exposure WHERE source_id = $1', [body.issue_id]);
  assert.deepEqual([rows, await settle(await bet(body.issue_id), '3.00')], [[{ cents: 200 }], '2.00']);
});
