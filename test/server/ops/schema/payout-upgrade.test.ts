import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { migrate } from '../../../../packages/server/src/ops/schema/migrations.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { draftCall, drafted, inEuro, submitted } from '../../../support/drafts.ts';
import { addParts, jobOver } from '../../../support/jobs.ts';
import { returnStake } from '../../../support/payout.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, directJob, games, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { type Staff, signedIn } from '../../../support/staff.ts';

// A database from before the payout type belonged to the terms: the demo partner's setting is off, the rival's is on.

const name = '0019_stake_returned_in_terms.sql';

/** Takes away what the migration adds, one statement at a time for a database of many machines. */
const undo = [
  'ALTER TABLE campaigns DROP COLUMN stake_returned',
  'ALTER TABLE drafts DROP COLUMN stake_returned',
  `UPDATE free_bets SET terms = (terms::jsonb - 'stakeReturned')::json WHERE terms IS NOT NULL`,
  `UPDATE jobs SET shared = (shared::jsonb - 'stakeReturned')::json WHERE shared IS NOT NULL`,
  `DELETE FROM migrations WHERE name = '${name}'`,
];

const { env, sql } = await testDatabase();
const settings = { ...env, APPROVAL_LIMITS: 'EUR:1' };

async function bet(url: string, { clientId }: Partner, issue_id: string, player_id = 'player-1'): Promise<string> {
  const body = { client_id: clientId, bet_id: randomUUID(), issue_id, player_id, game_id: games.one };
  return accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', body)).bet_id;
}

async function settle(url: string, { clientId }: Partner, bet_id: string): Promise<string> {
  const body = { client_id: clientId, bet_id, result: 'won', coefficient: '2.00' };
  return accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', body)).win_amount;
}

/** Creates one open thing of each kind and a finished direct free bet, as before the upgrade. */
async function fill(url: string, partner: Partner, author: Staff) {
  const issue = async (body: object) => accepted('Issue', await call(url, 'Issue', body, partner)).issue_id;
  const config = { max_coefficient: '2.00' };
  const request = campaign({ campaign_id: randomUUID(), config: { ...config, bonus_limit: 10 } });
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', request, partner));
  const ofCampaign = await issue({ campaign_id, player_id: 'player-1', currency: 'EUR' });
  const direct = await issue(directIssue({ config, quantity: 2, name: '"snow" \\ é' }));
  const finished = await issue(directIssue({ quantity: 1 }));
  await settle(url, partner, await bet(url, partner, finished));
  const job = directJob({ name: `Of ${partner.clientId}` });
  accepted('JobCreate', await call(url, 'JobCreate', job, partner));
  await addParts(url, job, [jobItems(1, 'of-job')], partner);
  const draft = await submitted(url, inEuro(5000), author, { client_id: partner.clientId });
  const placed = [await bet(url, partner, ofCampaign), await bet(url, partner, direct)];
  return { partner, campaign_id, direct, finished, job, draft, placed };
}

/** Settlements and issues after the upgrade, by the new server. */
async function readPayouts(
  url: string,
  { partner, campaign_id, direct, finished, job, draft, placed }: Awaited<ReturnType<typeof fill>>,
  approver: Staff,
) {
  const campaign = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }, partner));
  const wins = [];
  for (const bet_id of [...placed, await bet(url, partner, direct)]) wins.push(await settle(url, partner, bet_id));
  const start = { job_id: job.job_id, parts: 1, items: 1 };
  accepted('JobStart', await call(url, 'JobStart', start, partner));
  await jobOver(url, job, 20_000, partner);
  const listed = await call(url, 'FreeBetList', { player_id: 'of-job-0' }, partner);
  const [{ issue_id }] = accepted('FreeBetList', listed).free_bets;
  wins.push(await settle(url, partner, await bet(url, partner, issue_id, 'of-job-0')));
  const done = await drafted(url, 'DraftGet', { client_id: partner.clientId, draft_id: draft.draft_id }, approver);
  const settled = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: finished }, partner));
  return {
    campaign: [campaign.stake_returned, campaign.exposure[0].amount],
    wins,
    draft: done.stake_returned,
    finished: [settled.status, settled.bets[0].win_amount],
  };
}

test('an upgrade gives open campaigns, jobs and free bets the setting of their partner, and they keep it', async () => {
  const approver = await signedIn(sql, 'manager');
  const before = await testServer(settings);
  await returnStake(sql, [before.url], rival.clientId, true);
  const filled = [];
  for (const partner of [demo, rival]) filled.push(await fill(before.url, partner, await signedIn(sql, 'manager')));
  await before.stop();
  for (const statement of undo) await sql.query(statement);
  assert.deepEqual((await migrate(sql)).ran, [name]);
  const { rows } = await sql.query(
    `SELECT client_id, count(*) FILTER (WHERE terms::text LIKE '%"stakeReturned":true}')::int AS rewritten
     FROM free_bets WHERE terms IS NOT NULL AND bets_settled < quantity GROUP BY 1 ORDER BY 1`,
  );
  assert.deepEqual(
    rows.map(({ client_id, rewritten }) => [client_id, rewritten > 0]),
    [
      [1, false],
      [2, true],
    ],
  );

  const { url } = await testServer(settings);
  // Both settings are reversed before anything is settled.
  await returnStake(sql, [url], demo.clientId, true);
  await returnStake(sql, [url], rival.clientId, false);
  const [ofDemo, ofRival] = await Promise.all(filled.map((one) => readPayouts(url, one, approver)));
  assert.deepEqual(ofDemo, {
    campaign: [false, '3.00'],
    wins: ['1.00', '1.00', '1.00', '1.00'],
    draft: false,
    finished: ['finished', '1.00'],
  });
  assert.deepEqual(ofRival, {
    campaign: [true, '6.00'],
    wins: ['2.00', '2.00', '2.00', '2.00'],
    draft: true,
    finished: ['finished', '2.00'],
  });
  for (const { partner, draft } of filled) {
    const { body } = await draftCall(url, 'DraftApprove', { ...draft, client_id: partner.clientId }, approver);
    assert.equal(body.error, 'draft_changed', 'it was submitted with the other setting');
  }
  await returnStake(sql, [url], rival.clientId, true);
  const { draft } = filled[1] as (typeof filled)[number];
  await drafted(url, 'DraftApprove', { ...draft, client_id: rival.clientId }, approver);
});
