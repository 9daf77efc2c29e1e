import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { holdRows } from '../support/held-batch.ts';
import { callAs, lantern } from '../support/provider.ts';
import { campaign, directIssue, games } from '../support/requests.ts';
import { assertRoundsHold } from '../support/round-invariants.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// Two servers get requests about the same free bet at the same moment. Both wait for the partner, which a third transaction
// holds, and run in either order once it is free.

const { env, sql } = await testDatabase();
const [one, two] = await Promise.all([testServer(env), testServer(env)]);

const waiting = (count: number) =>
  until(`${count} wait for a lock`, 5000, async () => {
    const { rows } = await sql.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return rows[0].n === count;
  });

/** Sends the requests to both servers while the partner is held, and returns their answers. */
async function sendTogether<A, B>(toOne: () => Promise<A>[], toTwo: () => Promise<B>[]): Promise<[A[], B[]]> {
  const { letGo } = await holdRows(sql, 'SELECT FROM event_heads WHERE client_id = 1 FOR UPDATE');
  const ofOne = toOne();
  await waiting(1);
  const ofTwo = toTwo();
  await waiting(2);
  await letGo();
  return [await Promise.all(ofOne), await Promise.all(ofTwo)];
}

test('a bet and its rollback, with a repeated issue, leave every other bet as it is', async () => {
  const terms = directIssue();
  const { player_id } = terms;
  for (let i = 0; i < 5; i++) {
    const [cancelled, repeated, late, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const issue = (issue_id: string) => call(one.url, 'Issue', { ...terms, issue_id });
    for (const id of [cancelled, repeated]) assert.equal((await issue(id)).status, 200);
    const bet = (bet_id: string) =>
      callAs(lantern, two.url, 'RoundsBet', { bet_id, issue_id: repeated, player_id, game_id: games.one });
    const [answers, [ofLate, ofOther]] = await sendTogether(
      () => [
        call(one.url, 'Cancel', { issue_id: cancelled }),
        issue(repeated),
        callAs(lantern, one.url, 'RoundsRollback', { bet_id: late }),
      ],
      () => [bet(late), bet(other)],
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    assert.equal(ofOther?.status, 200, String(ofOther?.text));
    assert.ok(ofLate?.status === 200 || ofLate?.body.code === 623, String(ofLate?.text));
    const { body } = await call(one.url, 'FreeBetGet', { issue_id: repeated });
    assert.deepEqual([body.bets.map(({ bet_id }: { bet_id: string }) => bet_id), body.remaining], [[other], 2]);
  }
  await assertRoundsHold(sql);
});

test('the last place of a campaign, asked for on both servers and used at once, is answered alike', async () => {
  const campaign_id = 'last place';
  const created = await call(one.url, 'CampaignCreate', campaign({ campaign_id, config: { bonus_limit: 1 } }));
  assert.equal(created.status, 200, created.text);
  const issue = { issue_id: randomUUID(), campaign_id, player_id: 'player-1', currency: 'EUR' };
  const { issue_id, player_id } = issue;
  const bet = { bet_id: randomUUID(), issue_id, player_id, game_id: games.one };
  const [ofOne, [ofTwo, placed]] = await sendTogether(
    () => [call(one.url, 'Issue', issue)],
    () => [call(two.url, 'Issue', issue), callAs(lantern, two.url, 'RoundsBet', bet)],
  );
  for (const answer of [...ofOne, ofTwo]) assert.equal(answer?.status, 200, String(answer?.text));
  assert.ok(placed?.status === 200 || placed?.body.code === 610, String(placed?.text));
  await assertRoundsHold(sql);
});
