import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { OperationName } from '@freebets/contract';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { later } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { holdPartner } from '../../../support/held-batch.ts';
import { assertCountsHold } from '../../../support/invariants.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { assertRoundsHold } from '../../../support/round-invariants.ts';
import { laneDepth, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// A round that a sandbox plays by itself: the same rules as for a provider, and all of it or nothing.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const done = async (name: OperationName, body: object) => accepted(name, await call(url, name, body));
const issue = async (changes: object = {}): Promise<string> => (await done('Issue', directIssue(changes))).issue_id;
const play = (body: object) => call(url, 'SandboxRound', body);

let read = 0;
async function emitted(): Promise<string[]> {
  const events = await readFeed(url, demo, read);
  read += events.length;
  return events.map(({ type }) => type.replace('freebet.', ''));
}

test('won, lost and rolled back: the free bet with its bets, and the events that a provider would have caused', async () => {
  const issue_id = await issue({ quantity: 2, games: [games.one, games.ofSecondProvider] });
  assert.deepEqual(await emitted(), ['issued']);
  const won = accepted(
    'SandboxRound',
    await play({ issue_id: issue_id.toUpperCase(), result: 'won', coefficient: '2.50' }),
  );
  assert.deepEqual([won.status, won.remaining], ['in_use', 1]);
  assert.deepEqual(
    won.bets.map(({ status, game_id, coefficient, win_amount }: Record<string, string>) => [
      status,
      game_id,
      coefficient,
      win_amount,
    ]),
    [['won', games.one, '2.50', '1.50']],
  );
  assert.deepEqual(await emitted(), ['used', 'settled']);
  const back = accepted('SandboxRound', await play({ issue_id, result: 'rolled_back' }));
  assert.deepEqual([back.remaining, back.bets.length], [1, 1]);
  assert.deepEqual(await emitted(), ['used', 'rolled_back']);
  const lost = accepted('SandboxRound', await play({ issue_id, game_id: games.ofSecondProvider, result: 'lost' }));
  assert.deepEqual([lost.status, lost.remaining, lost.bets.length], ['finished', 0, 2]);
  assert.deepEqual(lost, await done('FreeBetGet', { issue_id }));
  assert.deepEqual(await emitted(), ['used', 'settled', 'finished']);
  const { rows } = await sql.query('SELECT provider_id, state FROM bets WHERE issue_id = $1 ORDER BY 1, 2', [issue_id]);
  assert.deepEqual(rows, [
    { provider_id: 'copper-heron', state: 'lost' },
    { provider_id: 'lantern-quay', state: 'rolled_back' },
    { provider_id: 'lantern-quay', state: 'won' },
  ]);
});

test('limits of the coefficient are those of a settlement: too low is refused, too high is cut', async () => {
  await done('CampaignCreate', {
    ...campaign({ campaign_id: 'limited' }),
    config: { min_coefficient: '1.50', max_coefficient: '3.00' },
  });
  const { issue_id } = await done('Issue', { campaign_id: 'limited', player_id: 'p', currency: 'EUR' });
  await emitted();
  refused('coefficient_out_of_range', await play({ issue_id, result: 'won', coefficient: '1.49' }));
  assert.deepEqual(await emitted(), [], 'no bet was left behind');
  const { bets } = accepted('SandboxRound', await play({ issue_id, result: 'won', coefficient: '10.00' }));
  assert.deepEqual([bets[0].coefficient, bets[0].win_amount], ['3.00', '2.00']);
});

test('what a provider would be refused is refused, and changes nothing', async () => {
  const issue_id = await issue({ quantity: 1 });
  const later1 = await issue({ valid_from: later(new Date().toISOString(), 3_600_000) });
  const cancelled = await issue();
  await done('Cancel', { issue_id: cancelled });
  await emitted();
  refused('free_bet_not_found', await play({ issue_id: randomUUID(), result: 'lost' }));
  refused('game_not_covered', await play({ issue_id, game_id: games.ofSecondProvider, result: 'lost' }));
  refused('game_not_covered', await play({ issue_id, game_id: 'no-such-game', result: 'lost' }));
  refused('free_bet_not_started', await play({ issue_id: later1, result: 'lost' }));
  refused('free_bet_cancelled', await play({ issue_id: cancelled, result: 'lost' }));
  refused('free_bet_not_found', await call(url, 'SandboxRound', { issue_id, result: 'lost' }, rival));
  assert.deepEqual(await emitted(), []);
  accepted('SandboxRound', await play({ issue_id, result: 'lost' }));
  refused('free_bet_used_up', await play({ issue_id, result: 'lost' }));
  const short = await issue({ duration_min: 1 });
  const { now } = await done('SandboxClockGet', {});
  await done('SandboxClockSet', { now: later(now, 60_001) });
  refused('free_bet_expired', await play({ issue_id: short, result: 'lost' }));
});

test('a coefficient comes with a win, and only with a win', async () => {
  const issue_id = await issue();
  refused('invalid_request', await play({ issue_id, result: 'won' }), ['coefficient']);
  refused('invalid_request', await play({ issue_id, result: 'lost', coefficient: '2.00' }), ['coefficient']);
  refused('invalid_request', await play({ issue_id, result: 'rolled_back', coefficient: '2.00' }), ['coefficient']);
  refused('invalid_request', await play({ issue_id, result: 'drawn' }), ['result']);
  refused('invalid_request', await play({ result: 'lost' }), ['issue_id']);
});

test('every played round gets a response under many requests and reads', async () => {
  const { url } = await testServer({ ...env, READ_QUEUE: '1' });
  const issue_id = await issue({ quantity: 30 });
  const reads = Promise.all(Array.from({ length: 30 }, () => call(url, 'FreeBetGet', { issue_id })));
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => call(url, 'SandboxRound', { issue_id, result: 'lost' })),
  );
  const remaining = answers.map((answer) => accepted('SandboxRound', answer).remaining);
  assert.deepEqual(
    remaining.toSorted((a, b) => a - b),
    Array.from({ length: 30 }, (_, i) => i),
    'each shows what its own round has left',
  );
  await reads;
  const last = answers.map(({ body }) => body).find((body) => body.remaining === 0);
  assert.deepEqual(last, await done('FreeBetGet', { issue_id }));
});

test('a round waits for no other batch of the partner that goes by its clock', async () => {
  const issue_id = await issue();
  const client = await sql.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM sandbox_clocks FOR SHARE');
    accepted('SandboxRound', await play({ issue_id, result: 'lost' }));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

test('many at the same moment: as many as there are bets are played', async () => {
  const issue_id = await issue({ quantity: 5 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => play({ issue_id, result: 'lost' })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 5);
  for (const answer of answers) if (answer.status !== 200) refused('free_bet_used_up', answer);
  await assertCountsHold(sql);
  await assertRoundsHold(sql);
});

test('few rounds of a partner are under way at a time: the others wait for their turn, and other partners for none of them', async () => {
  await done('CampaignCreate', campaign({ campaign_id: 'many', quantity: 30 }));
  const { issue_id } = await done('Issue', { campaign_id: 'many', player_id: 'p', currency: 'EUR' });
  const held = await holdPartner(sql, demo.clientId);
  const rounds = [play({ issue_id, result: 'lost' })];
  try {
    await held.isWaitedFor();
    for (let i = 1; i < 30; i++) rounds.push(play({ issue_id, result: 'lost' }));
    await until('the rounds that have a turn', 5000, () => laneDepth(url) >= 3);
    const other = accepted('Issue', await call(url, 'Issue', directIssue(), rival));
    accepted('SandboxRound', await call(url, 'SandboxRound', { issue_id: other.issue_id, result: 'lost' }, rival));
    assert.equal(laneDepth(url), 3, 'behind the one in flight');
  } finally {
    await held.letGo();
  }
  for (const answer of await Promise.all(rounds)) accepted('SandboxRound', answer);
});
