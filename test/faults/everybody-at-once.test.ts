import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { readFeed } from '../support/feed.ts';
import { assertFoldsToRows } from '../support/fold.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { times } from '../support/long.ts';
import { campaign } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';

// Everybody at once: thousands of requests under way together, on two servers, for a quarter as many places. The caller
// keeps at most 256 connections to each server; behind them the requests wait their turn.

const requests = times(2_000, 2_400);
const players = requests / 5;
const limit = requests / 4;
const limitPerPlayer = 2;

const { env, sql } = await testDatabase();

/** Each player asks five times; in a random order, so that a player's requests meet on both servers. */
function shuffledPlayers(): string[] {
  const drafts = Array.from({ length: requests }, (_, i) => `player-${i % players}`);
  for (let i = drafts.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [drafts[i], drafts[j]] = [drafts[j] as string, drafts[i] as string];
  }
  return drafts;
}

test(`${requests} issues at once on two servers give exactly ${limit} places, and no player a third`, async (t) => {
  const [one, other] = await Promise.all([serverProcess(env), testServer(env)]);
  const config = { bonus_limit: limit, bonus_limit_per_user: limitPerPlayer };
  const created = await call(one.url, 'CampaignCreate', campaign({ campaign_id: 'rush', config }));
  assert.equal(created.status, 200, created.text);

  const began = performance.now();
  const answers = await Promise.all(
    shuffledPlayers().map(async (player_id, i) => {
      const url = i % 2 === 0 ? one.url : other.url;
      const { status, body } = await call(url, 'Issue', { campaign_id: 'rush', player_id, currency: 'EUR' });
      return { player_id, status, code: status === 200 ? 200 : body.code, issueId: body.issue_id };
    }),
  );
  const seconds = (performance.now() - began) / 1000;

  const byCode = new Map(
    Map.groupBy(answers, ({ code }) => code)
      .entries()
      .map(([code, all]) => [code, all.length]),
  );
  const summary = [...byCode].sort(([a], [b]) => a - b).map(([code, count]) => `${count} × ${code}`);
  t.diagnostic(`${requests} requests in ${seconds.toFixed(1)} s: ${summary.join(', ')}`);
  assert.deepEqual(new Set(byCode.keys()).difference(new Set([200, 635, 636])), new Set());
  assert.equal(byCode.get(200), limit);
  const issued = answers.filter(({ code }) => code === 200);
  assert.equal(new Set(issued.map(({ issueId }) => issueId)).size, limit);
  for (const [player, held] of Map.groupBy(issued, ({ player_id }) => player_id)) {
    assert.ok(held.length <= limitPerPlayer, `${player} was given ${held.length}`);
  }

  const { rows } = await sql.query(`SELECT count(*)::int AS issued, count(DISTINCT player_id)::int AS players,
    (SELECT max(n)::int FROM (SELECT count(*) AS n FROM free_bets GROUP BY player_id) p) AS most FROM free_bets`);
  const holders = new Set(issued.map(({ player_id }) => player_id)).size;
  assert.deepEqual(rows, [{ issued: limit, players: holders, most: limitPerPlayer }]);
  await assertCountsHold(sql);
  const { body } = await call(other.url, 'CampaignGet', { campaign_id: 'rush' });
  assert.deepEqual([body.status, body.counts.issued], ['exhausted', limit]);
  const events = await readFeed(one.url);
  assert.equal(events.length, limit + 2, 'created, one for each issue, and full');
  await assertFoldsToRows(sql, events);
});
