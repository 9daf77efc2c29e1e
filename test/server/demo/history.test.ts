import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoProviderOf } from '../../../packages/server/src/demo/demo.ts';
import { planHistory } from '../../../packages/server/src/demo/history-plan.ts';
import { assertActivityHolds } from '../../support/activity.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { readFeed } from '../../support/feed.ts';
import { assertFoldsToRows } from '../../support/fold.ts';
import { assertCountsHold } from '../../support/invariants.ts';
import { assertCampaignAddsUp, assertRoundsHold } from '../../support/round-invariants.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

// The demo as loaded at the first start: partner 1 has a history, created by the real rules.

const { env, sql } = await testDatabase('empty');
for (const command of ['migrate', 'demo']) assert.equal((await runCommand(env, command)).code, 0);
const loadedAt = new Date().toISOString();
const { rows: heads } = await sql.query('SELECT last_sequence FROM event_heads WHERE client_id = $1', [demo.clientId]);
const loaded = Number(heads[0].last_sequence);
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '20' });

test('the past is whole: no gap, nothing out of order, nothing in the future, and everything adds up', async () => {
  // The sweeper may have emitted more by now.
  const events = (await readFeed(url)).slice(0, loaded);
  const occurred = events.map(({ occurred_at }) => occurred_at);
  assert.deepEqual(occurred, occurred.toSorted());
  assert.ok((occurred.at(-1) ?? '') < loadedAt);
  const days = (Date.parse(loadedAt) - Date.parse(occurred[0] ?? '')) / 86_400_000;
  assert.ok(days > 12 && days < 14, `${days} days`);
  assert.ok(new Set(occurred).size > 130, 'at times of their own');
  await until('the sweeper has expired the rest', 10_000, async () => {
    const { rows } = await sql.query('SELECT FROM free_bets WHERE NOT swept AND expires_at <= world_now()');
    return rows.length === 0;
  });
  const emitted = await readFeed(url, demo, events.length);
  assert.ok(emitted.length < 10, 'only new expiries were emitted');
  await assertFoldsToRows(sql, [...events, ...emitted]);
  await assertCountsHold(sql);
  await assertRoundsHold(sql);
  await assertActivityHolds(sql);
  const { rows } = await sql.query(
    `SELECT count(*)::int AS all, count(DISTINCT player_id)::int AS players, count(DISTINCT currency)::int AS currencies,
       count(*) FILTER (WHERE issued_at > world_now())::int AS future FROM free_bets`,
  );
  assert.ok(rows[0].all >= 2000 && rows[0].all <= 4000, `${rows[0].all} free bets`);
  assert.ok(rows[0].players > 500);
  assert.deepEqual([rows[0].currencies, rows[0].future], [2, 0]);
});

test('one campaign has ended, one runs, and one has nearly given all it has', async () => {
  const { campaigns } = accepted('CampaignList', await call(url, 'CampaignList', {}));
  const found = new Map<string, { status: string; held: number; limit: number | null }>();
  for (const { campaign_id } of campaigns) {
    await assertCampaignAddsUp(url, campaign_id);
    const got = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
    const { issued, cancelled, expired, finished, bets_placed } = got.counts;
    for (const count of [cancelled, expired, finished, bets_placed]) assert.ok(count > 10, JSON.stringify(got.counts));
    for (const { amount } of got.winnings) assert.ok(Number(amount) > 10);
    found.set(campaign_id, { status: got.status, held: issued - cancelled, limit: got.config.bonus_limit });
  }
  assert.deepEqual([...found].map(([id, { status }]) => `${id} ${status}`).toSorted(), [
    'demo-live-nights active',
    'demo-virtual-cup ended',
    'demo-welcome active',
  ]);
  const { held, limit } = found.get('demo-live-nights') ?? assert.fail();
  assert.ok(limit !== null && held / limit > 0.9 && held < limit, `${held} of ${limit}`);
});

test('the demo partners are sandboxes whose clocks show the time of the world, and only the first has a past', async () => {
  for (const partner of [demo, rival]) {
    const { now, offset_s } = accepted('SandboxClockGet', await call(url, 'SandboxClockGet', {}, partner));
    assert.equal(offset_s, 0);
    assert.ok(Math.abs(Date.parse(now) - Date.now()) < 60_000);
  }
  assert.deepEqual(await readFeed(url, rival), []);
});

test('the history is always the same, up to the current hour, with evenings busier than mornings', () => {
  const providerOf = (gameId: string) => demoProviderOf(gameId)?.providerId ?? assert.fail(gameId);
  const midnight = Date.UTC(2030, 4, 20);
  const plans = [0, 9, 18, 23.9].map((hour) => planHistory(midnight + hour * 3_600_000, providerOf));
  const [first = [], , , last = []] = plans;
  assert.deepEqual(last.slice(0, first.length), first);
  const later = planHistory(midnight + 7 * 86_400_000, providerOf);
  assert.deepEqual(
    later.map(({ issueId }) => issueId),
    first.map(({ issueId }) => issueId),
  );
  for (const plan of plans) {
    const issues = plan.filter(({ command }) => command.kind === 'issue_by_campaign');
    assert.ok(issues.length >= 2100 && issues.length <= 4000, `${issues.length} issues`);
    const between = (from: number, to: number) =>
      issues.filter(({ at }) => new Date(at).getUTCHours() >= from && new Date(at).getUTCHours() < to).length;
    assert.ok(between(18, 23) > 5 * between(6, 11));
  }
});
