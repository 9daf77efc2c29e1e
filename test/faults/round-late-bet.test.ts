import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { holdCampaign } from '../support/held-batch.ts';
import { callAs, lantern } from '../support/provider.ts';
import { campaign, directIssue, games } from '../support/requests.ts';
import { assertRoundsHold } from '../support/round-invariants.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// One server is about to roll a bet back, in a batch that also repeats the issue of its free bet; the bet is placed by the
// other server only now. What the first read of that free bet, it must hold the lock on, or it loses what happens meanwhile.

const { env, sql } = await testDatabase();
const [one, two] = await Promise.all([testServer(env), testServer(env)]);

/** Keeps the lock on a free bet until it is told to let go. */
async function held(issueId: string): Promise<() => Promise<void>> {
  const connection = await sql.connect();
  await connection.query('BEGIN');
  await connection.query('SELECT FROM free_bets WHERE issue_id = $1 FOR UPDATE', [issueId]);
  return async () => {
    await connection.query('COMMIT');
    connection.release();
  };
}

const waiting = (count: number) =>
  until(`${count} wait for a lock`, 5000, async () => {
    const { rows } = await sql.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return rows[0].n === count;
  });

test('a bet placed while its rollback waits, beside a repeated issue, loses nobody else their bet', async () => {
  const terms = directIssue();
  const { player_id } = terms;
  const [first, second, repeated] = [randomUUID(), randomUUID(), randomUUID()];
  const issue = (issue_id: string) => call(one.url, 'Issue', { ...terms, issue_id });
  for (const id of [first, second, repeated]) assert.equal((await issue(id)).status, 200);
  const bet = (bet_id: string) =>
    callAs(lantern, two.url, 'RoundsBet', { bet_id, issue_id: repeated, player_id, game_id: games.one });
  const [late, other] = [randomUUID(), randomUUID()];

  const [letFirstGo, letSecondGo] = [await held(first), await held(second)];
  // Keeps the lane busy, so that what follows makes one batch.
  const answers = [call(one.url, 'Cancel', { issue_id: first })];
  await waiting(1);
  answers.push(
    call(one.url, 'Cancel', { issue_id: second }),
    issue(repeated),
    callAs(lantern, one.url, 'RoundsRollback', { bet_id: late }),
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  await letFirstGo();
  await answers[0];
  await waiting(1);
  assert.equal((await bet(late)).status, 200);
  const letRepeatedGo = await held(repeated);
  const meanwhile = bet(other);
  await waiting(2);
  await letSecondGo();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await letRepeatedGo();
  for (const answer of [...(await Promise.all(answers)), await meanwhile])
    assert.equal(answer.status, 200, answer.text);
  const { body } = await call(one.url, 'FreeBetGet', { issue_id: repeated });
  assert.deepEqual([body.bets.map(({ bet_id }: { bet_id: string }) => bet_id), body.remaining], [[other], 2]);
  await assertRoundsHold(sql);
});

test('the last place of a campaign, asked for on both servers and used at once, is answered alike', async () => {
  const campaign_id = 'last place';
  const created = await call(one.url, 'CampaignCreate', campaign({ campaign_id, config: { bonus_limit: 1 } }));
  assert.equal(created.status, 200, created.text);
  const issue = { issue_id: randomUUID(), campaign_id, player_id: 'player-1', currency: 'EUR' };
  const busy = directIssue({ issue_id: randomUUID() }) as ReturnType<typeof directIssue> & { issue_id: string };
  assert.equal((await call(one.url, 'Issue', busy)).status, 200);

  const letGo = await held(busy.issue_id);
  const row = await holdCampaign(sql, campaign_id);
  const answers = [call(one.url, 'Cancel', { issue_id: busy.issue_id }), call(two.url, 'Issue', issue)];
  await waiting(2);
  const bet_id = randomUUID();
  const { issue_id, player_id } = issue;
  const bet = callAs(lantern, one.url, 'RoundsBet', { bet_id, issue_id, player_id, game_id: games.one });
  answers.push(call(one.url, 'Issue', issue));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await letGo();
  await answers[0];
  await waiting(2);
  await row.letGo();
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200, answer.text);
  const placed = await bet;
  assert.ok(placed.status === 200 || placed.body.code === 610, placed.text);
  await assertRoundsHold(sql);
});
