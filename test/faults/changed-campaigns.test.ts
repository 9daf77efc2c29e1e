import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted } from '../support/answers.ts';
import { type Answer, call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { times } from '../support/long.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';

// Campaigns are paused, and their limits changed, on one server while both give free bets.

const { env, sql } = await testDatabase();
const servers = [await testServer(env), await testServer({ ...env, LANE_BATCH: '8' })];
const either = (i: number): string => servers[i % 2]?.url as string;
const rounds = times(4, 5);

const listOf = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const codeOf = ({ status, body }: Answer): number => (status === 200 ? 200 : body.code);
const ofCode = (answers: Answer[], code: number) => answers.filter((answer) => codeOf(answer) === code).length;

async function newCampaign(config: object): Promise<string> {
  const campaign_id = `c-${randomUUID()}`;
  accepted('CampaignCreate', await call(either(0), 'CampaignCreate', campaign({ campaign_id, config })));
  return campaign_id;
}

const issue = (i: number, campaign_id: string, player_id = `player-${i}`) =>
  call(either(i), 'Issue', { campaign_id, player_id, currency: 'EUR' });

async function limit(i: number, campaign_id: string, bonus_limit: number | null, perUser: number | null) {
  const body = { campaign_id, bonus_limit, bonus_limit_per_user: perUser };
  accepted('CampaignLimits', await call(either(i), 'CampaignLimits', body));
}

const issuedOf = async (campaign_id: string): Promise<number> =>
  accepted('CampaignGet', await call(either(1), 'CampaignGet', { campaign_id })).counts.issued;

test('no server issues after a pause has returned', async () => {
  for (let round = 0; round < rounds; round++) {
    const id = await newCampaign({});
    const before = listOf(40, (i) => issue(i, id));
    accepted('CampaignPause', await call(either(round), 'CampaignPause', { campaign_id: id }));
    const after = await Promise.all(listOf(40, (i) => issue(i, id)));
    assert.equal(ofCode(after, 634), 40);
    const answers = await Promise.all(before);
    assert.equal(ofCode(answers, 200) + ofCode(answers, 634), 40);
    assert.equal(await issuedOf(id), ofCode(answers, 200));
    accepted('CampaignResume', await call(either(round + 1), 'CampaignResume', { campaign_id: id }));
    assert.equal(codeOf(await issue(round, id)), 200, 'and at once when a resume has');
  }
});

test('with limits lowered and raised meanwhile never more is given than the highest in force, and in the end exactly', async () => {
  for (let round = 0; round < rounds; round++) {
    const id = await newCampaign({ bonus_limit: 10 });
    const issues = listOf(120, (i) => issue(i, id));
    for (const [i, each] of [4, 25, 7, 30].entries()) await limit(i, id, each, null);
    const answers = await Promise.all(issues);
    assert.equal(ofCode(answers, 200) + ofCode(answers, 635), 120);
    assert.ok(ofCode(answers, 200) <= 30);
    const rest = await Promise.all(listOf(60, (i) => issue(i, id)));
    assert.equal(await issuedOf(id), 30);
    assert.equal(ofCode(rest, 635), 60 - (30 - ofCode(answers, 200)));
    await limit(0, id, 12, null);
    assert.equal(ofCode(await Promise.all(listOf(20, (i) => issue(i, id))), 635), 20);
  }
  await assertCountsHold(sql);
});

test('a limit for players that comes while they are given free bets and lose them is exact', async () => {
  for (let round = 0; round < rounds; round++) {
    const id = await newCampaign({});
    const given = await Promise.all(listOf(6, (i) => issue(i, id, `player-${i % 2}`)));
    const issueIds = given.map(({ body }) => body.issue_id);
    const together = await Promise.all([
      ...listOf(20, (i) => issue(i, id, `player-${i % 4}`)),
      limit(round, id, null, 5),
      ...issueIds.map((issue_id, i) => call(either(i), 'Cancel', { issue_id })),
      ...listOf(20, (i) => issue(i, id, `player-${i % 4}`)),
    ]);
    for (const answer of together) if (answer) assert.ok([200, 636].includes(codeOf(answer)), answer.text);
    await Promise.all(listOf(40, (i) => issue(i, id, `player-${i % 4}`)));
    const { rows } = await sql.query(
      `SELECT player_id, count(*)::int AS held FROM free_bets
       WHERE campaign_id = $1 AND cancelled_at IS NULL GROUP BY 1 ORDER BY 1`,
      [id],
    );
    // Before the limit came, a player may have been given more.
    for (const { player_id, held } of rows) assert.ok(held >= 5, `${player_id} has ${held}`);
    const more = await Promise.all(listOf(8, (i) => issue(i, id, `player-${i % 4}`)));
    assert.equal(ofCode(more, 636), 8);
    await assertCountsHold(sql);
  }
});
