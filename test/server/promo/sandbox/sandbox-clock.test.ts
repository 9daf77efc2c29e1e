import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { OperationName } from '@freebets/contract';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../../support/caller.ts';
import { later } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { runCommand, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// Partner 1 travels through the years to come, on two servers; its rival stays where it is, and so does a partner that is no
// sandbox. The sweepers would pause for an hour without a signal.

const { env } = await testDatabase();
const created = await runCommand(env, 'client', 'create', '--name', 'Live', '--offer', 'all', '--json');
const live: Partner = { clientId: 3, secret: JSON.parse(created.stdout).secret };
const [one, two] = await Promise.all([1, 2].map(() => testServer({ ...env, SWEEP_PAUSE_MS: '3600000' })));
const urls = [one?.url ?? '', two?.url ?? ''];
const [url = '', otherUrl = ''] = urls;

const [hour, day] = [3_600_000, 24 * 3_600_000];
const done = async (name: OperationName, body: object = {}, partner = demo) =>
  accepted(name, await call(url, name, body, partner));
const clock = async (at = url, partner = demo) =>
  accepted('SandboxClockGet', await call(at, 'SandboxClockGet', {}, partner));
const forward = async (ms: number) =>
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: later((await clock()).now, ms) }));
const secondsBetween = (a: string, b: string) => (Date.parse(b) - Date.parse(a)) / 1000;

test('the clock of a sandbox shows the time of the world until it is set', async () => {
  for (const partner of [demo, rival]) {
    const { now, offset_s } = await clock(url, partner);
    assert.equal(offset_s, 0);
    assert.ok(Math.abs(secondsBetween(now, new Date().toISOString())) < 60);
  }
});

test('a moved clock runs on from the new time on every server, for this sandbox only', async () => {
  const before = await clock();
  const set = later(before.now, 30 * day);
  const answer = await done('SandboxClockSet', { now: set });
  assert.equal(answer.now, set);
  assert.ok(Math.abs(answer.offset_s - 30 * 86_400) < 60, 'less what the world has gone on since it was read');
  for (const at of urls) {
    const { now, offset_s } = await clock(at);
    assert.ok(now >= set && secondsBetween(set, now) < 60, now);
    assert.equal(offset_s, answer.offset_s);
  }
  assert.equal((await clock(otherUrl, rival)).offset_s, 0);
});

test('the last time may be set again, for example after a lost response; other times in the past may not', async () => {
  const set = later((await clock()).now, hour);
  const first = await done('SandboxClockSet', { now: set });
  const again = accepted('SandboxClockSet', await call(otherUrl, 'SandboxClockSet', { now: set }));
  assert.ok(again.now >= set);
  assert.equal(again.offset_s, first.offset_s);
  refused('invalid_request', await call(url, 'SandboxClockSet', { now: later(set, -1) }), ['now']);
  assert.equal((await clock()).offset_s, first.offset_s);
});

test('back, by more than two years, past 2100, or to an invalid time: 400, and the clock continues unchanged', async () => {
  const { now, offset_s } = await clock();
  const inYears = (years: number, ms = 0) => {
    const time = new Date(now);
    time.setUTCFullYear(time.getUTCFullYear() + years);
    return new Date(time.getTime() + ms).toISOString();
  };
  const reasons: [time: unknown, reason: RegExp][] = [
    [later(now, -1), /^must not be before the time of the sandbox, \d{4}-.*Z: its clock goes forward only$/],
    ['1970-01-01T00:00:00Z', /must not be before/],
    [inYears(2, day), /^must be at most 2 years after the time of the sandbox, \d{4}/],
    ['2101-01-01T00:00:00Z', /at most 2 years.*; must not be after 2100-01-01T00:00:00.000Z$/],
    ['2027-02-30T00:00:00Z', /a time that exists/],
    ['tomorrow', /a time in UTC/],
    [Date.now(), /text/],
    [null, /text/],
  ];
  for (const [time, reason] of reasons) {
    const { details } = refused('invalid_request', await call(url, 'SandboxClockSet', { now: time }), ['now']);
    assert.match(details.map((detail: { reason: string }) => detail.reason).join('; '), reason);
  }
  refused('invalid_request', await call(url, 'SandboxClockSet', {}), ['now']);
  assert.equal((await clock()).offset_s, offset_s);
});

test('a partner that is not a sandbox has no clock to read or set, and goes by the world', async () => {
  refused('not_a_sandbox', await call(url, 'SandboxClockGet', {}, live));
  refused('not_a_sandbox', await call(url, 'SandboxClockSet', { now: later((await clock()).now, day) }, live));
  const round = { issue_id: randomUUID(), result: 'lost' };
  refused('not_a_sandbox', await call(url, 'SandboxRound', round, live));
  const { issued_at } = await done('Issue', directIssue(), live);
  assert.ok(Math.abs(secondsBetween(issued_at, new Date().toISOString())) < 60);
  const events = await readFeed(url, live);
  assert.equal(events.at(-1)?.occurred_at, issued_at);
});

test('free bets, campaigns, lists, counts and providers follow the clock, and expiry events keep their order', async () => {
  const { now } = await clock();
  const campaign_id = 'travelling';
  const validity = { valid_from: later(now, day), valid_until: later(now, 10 * day) };
  await done('CampaignCreate', campaign({ campaign_id, ...validity, duration_min: 25 * 60 }));
  const player_id = 'traveller';
  const issued = await done('Issue', { campaign_id, player_id, currency: 'EUR' });
  const direct = [3, 1, 2].map((days) => directIssue({ player_id, valid_until: later(now, days * day) }));
  const { results } = await done('IssueBatch', { items: direct });
  const where = { player_id, game_id: games.one, currency: 'EUR' };
  const usable = async (at: string) => {
    const answer = accepted('RoundsAvailable', await callAs(lantern, at, 'RoundsAvailable', where));
    return answer.free_bets.map((freeBet: { issue_id: string }) => freeBet.issue_id);
  };
  const [late, soon, middle] = results.map((result: { issue_id: string }) => result.issue_id);
  assert.deepEqual(await usable(otherUrl), [soon, middle, late]);
  const bet = { bet_id: randomUUID(), issue_id: issued.issue_id, player_id, game_id: games.one };
  refused('free_bet_not_started', await callAs(lantern, otherUrl, 'RoundsBet', bet));
  assert.equal((await done('CampaignGet', { campaign_id })).status, 'scheduled');
  const toldBefore = (await readFeed(url)).length;

  await forward(day + hour);
  assert.deepEqual(await usable(otherUrl), [middle, issued.issue_id, late]);
  accepted('RoundsBet', await callAs(lantern, otherUrl, 'RoundsBet', bet));
  assert.equal((await done('CampaignGet', { campaign_id })).status, 'active');
  assert.equal((await done('FreeBetGet', { issue_id: soon })).status, 'expired');

  await forward(20 * day);
  const list = await done('FreeBetList', { player_id, status: 'expired' });
  assert.deepEqual(
    list.free_bets.map((freeBet: { issue_id: string }) => freeBet.issue_id).toSorted(),
    [late, soon, middle, issued.issue_id].toSorted(),
  );
  const got = await done('CampaignGet', { campaign_id });
  assert.deepEqual([got.status, got.counts.expired, got.exposure[0].amount], ['ended', 1, null]);
  assert.deepEqual(await usable(otherUrl), []);
  const expired = async () => (await readFeed(url, demo, toldBefore)).filter(({ type }) => type === 'freebet.expired');
  await until('the expiries are emitted', 2000, async () => (await expired()).length === 4);
  const order = (await expired()).map(({ data }) => 'free_bet' in data && data.free_bet.issue_id);
  assert.deepEqual(order, [soon, middle, issued.issue_id, late], 'in the order of expiry');
  for (const { occurred_at } of await expired()) assert.ok(occurred_at > later(now, day));
  const stopped = await done('FreeBetGet', { issue_id: issued.issue_id });
  assert.equal(stopped.bets.length, 1, 'a bet placed in time remains');
});

test('a list goes by the time of the sandbox, newest first', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    ids.unshift(
      (await done('Issue', directIssue({ player_id: 'listed', valid_until: '2036-01-01T00:00:00Z' }))).issue_id,
    );
    await forward(hour);
  }
  const { free_bets } = await done('FreeBetList', { player_id: 'listed' });
  assert.deepEqual(
    free_bets.map((freeBet: { issue_id: string }) => freeBet.issue_id),
    ids,
  );
  const times = free_bets.map((freeBet: { issued_at: string }) => Date.parse(freeBet.issued_at));
  assert.ok(times[0] - times[1] >= hour && times[1] - times[2] >= hour);
});
