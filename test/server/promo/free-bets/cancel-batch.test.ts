import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { assertCountsHold } from '../../../support/invariants.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, LANE_BATCH: '100', SWEEP_PAUSE_MS: '3600000' });

const now = '2027-06-01T12:00:00.000Z';
const validity = { valid_from: now, valid_until: later(now, 3_600_000) };
beforeEach(() => setClock(sql, now));

const given = async (changes: object = {}): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', directIssue({ ...validity, ...changes }))).issue_id;
const cancelled = async (issue_ids: string[]) =>
  accepted('CancelBatch', await call(url, 'CancelBatch', { issue_ids })).results;
const codes = (results: { error?: { code: number } }[]) => results.map(({ error }) => error?.code ?? 200);

test('each is cancelled or refused by itself, in the order of the ids', async () => {
  const [first, used, expired] = [await given(), await given({ player_id: 'user' }), await given({ duration_min: 1 })];
  const bet = { client_id: 1, bet_id: randomUUID(), issue_id: used, player_id: 'user', game_id: games.one };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', bet));
  await setClock(sql, later(now, 60_000));
  const unknown = randomUUID();
  const results = await cancelled([unknown, first.toUpperCase(), used, expired, first]);
  assert.deepEqual(codes(results), [610, 200, 620, 611, 200]);
  assert.deepEqual(
    results.map(({ issue_id }: { issue_id: string }) => issue_id),
    [unknown, first, used, expired, first],
  );
  const emitted = (await readFeed(url)).filter(({ type }) => type === 'freebet.cancelled');
  assert.equal(emitted.length, 1, 'once, although the id was repeated');
  assert.deepEqual(codes(await cancelled([first])), [200], 'and again it is answered the same');
});

test('a thousand, over many transactions, give every place back', async () => {
  const config = { bonus_limit: 1000, bonus_limit_per_user: 4 };
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'many', ...validity, config })));
  const items = Array.from({ length: 1000 }, (_, i) => ({
    campaign_id: 'many',
    player_id: `player-${i % 250}`,
    currency: 'EUR',
  }));
  const issue = async () => accepted('IssueBatch', await call(url, 'IssueBatch', { items })).results;
  const issued = (await issue()).map(({ issue_id }: { issue_id: string }) => issue_id);
  assert.deepEqual(new Set(codes(await cancelled(issued))), new Set([200]));
  const { counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'many' }));
  assert.deepEqual([counts.issued, counts.cancelled], [1000, 1000]);
  assert.deepEqual(new Set(codes(await issue())), new Set([200]));
  await assertCountsHold(sql);
});

test('anything but a list of 1 to 1,000 ids is refused as a whole, and nothing is cancelled', async () => {
  const good = await given();
  const wrong: [unknown, string][] = [
    [[], 'issue_ids'],
    [Array.from({ length: 1001 }, () => good), 'issue_ids'],
    [good, 'issue_ids'],
    [null, 'issue_ids'],
    [undefined, 'issue_ids'],
    [[good, 'x'], 'issue_ids[1]'],
    [[7, good], 'issue_ids[0]'],
  ];
  for (const [issue_ids, field] of wrong)
    refused('invalid_request', await call(url, 'CancelBatch', { issue_ids }), [field]);
  refused('invalid_request', await call(url, 'CancelBatch', { issue_ids: [good], dry_run: true }), ['dry_run']);
  assert.equal(accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: good })).status, 'active');
});
