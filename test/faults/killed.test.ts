import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertAcknowledgedAreThere, inParallel, issuedAmong, issuesFor, startLoad } from '../support/load.ts';
import { times } from '../support/long.ts';
import { campaign } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A server is killed in the middle of its work, again and again, while another one on the same database lives on. What
// was acknowledged is kept; other requests may be sent again with the same id, and happen once.

const rounds = times(1, 2);
const limit = 700;
const limitPerPlayer = 3;
const players = 400;

const { env, sql } = await testDatabase();
const survivor = await testServer(env);

/** At once rather than in turn: ids that were under way when the server died meet their own traces. */
async function retryAll(issues: object[]): Promise<Set<number>> {
  const codes = new Set<number>();
  await inParallel(issues, 32, async (issue) => {
    const { status, body } = await call(survivor.url, 'Issue', issue);
    codes.add(status === 200 ? 200 : body.code);
  });
  return codes;
}

for (let round = 1; round <= rounds; round++) {
  test(`SIGKILL under load loses nothing acknowledged and overshoots no limit (${round} of ${rounds})`, async (t) => {
    const campaignId = `killed-${round}`;
    const config = { bonus_limit: limit, bonus_limit_per_user: limitPerPlayer };
    const created = await call(survivor.url, 'CampaignCreate', campaign({ campaign_id: campaignId, config }));
    assert.equal(created.status, 200, created.text);

    const victim = await serverProcess(env);
    const load = startLoad(victim.url, issuesFor(campaignId, players), 64);
    // While there are places left, and in the last round of several when there are hardly any.
    const enough = Math.round((limit * round) / Math.max(rounds, 2)) - 30;
    await until('acknowledged issues', 30_000, () => load.acknowledged() >= enough);
    await victim.end('SIGKILL');
    await load.stop();

    const answered = load.sent.flatMap(({ answer }) => answer ?? []);
    for (const { status, text } of answered) assert.ok(status === 200 || /63[56]/.test(text), text);
    await assertAcknowledgedAreThere(survivor.url, load);
    await assertCountsHold(sql);

    const unanswered = load.sent.filter(({ answer }) => answer === undefined).map(({ issue }) => issue);
    const before = await issuedAmong(
      sql,
      unanswered.map(({ issue_id }) => issue_id),
    );
    t.diagnostic(`${load.acknowledged()} acknowledged, ${unanswered.length} not, of which ${before.size} had happened`);
    assert.ok(unanswered.length > 0, 'the server was killed with requests under way');
    const codes = await retryAll(unanswered);
    assert.deepEqual(codes.difference(new Set([200, 635, 636])), new Set());
    await assertHappenedOnce(campaignId, before);
  });
}

/** A retry of a request from before the kill returns its result, regardless of the current limits. */
async function assertHappenedOnce(campaignId: string, before: Set<string>): Promise<void> {
  await assertCountsHold(sql);
  for (const issue_id of before) {
    const { body } = await call(survivor.url, 'FreeBetGet', { issue_id });
    const { player_id, currency } = body;
    const again = await call(survivor.url, 'Issue', { issue_id, campaign_id: campaignId, player_id, currency });
    assert.equal(again.status, 200, again.text);
  }
  const { body } = await call(survivor.url, 'CampaignGet', { campaign_id: campaignId });
  const { rows } = await sql.query('SELECT count(*)::int AS n FROM free_bets WHERE campaign_id = $1', [campaignId]);
  assert.equal(body.counts.issued, rows[0]?.n);
}
