import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { walk } from '../../../support/pages.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const noon = '2027-06-01T12:00:00.000Z';
const end = later(noon, 3_600_000);
const players = ['anna', 'ben', 'cleo'];
const issued: { issue_id: string; player_id: string; campaign_id: string | null; issued_at: string }[] = [];

/** Sixty free bets of three players: by turns direct, of campaign A and of campaign B; several at each instant. */
async function fill(): Promise<void> {
  await setClock(sql, noon);
  for (const campaign_id of ['A', 'B']) {
    const body = campaign({ campaign_id, valid_from: noon, valid_until: end });
    accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
  }
  for (let i = 0; i < 60; i++) {
    if (i % 4 === 0) await setClock(sql, later(noon, i));
    const player_id = players[i % 3] ?? '';
    const campaign_id = [null, 'A', 'B', 'A', null][i % 5];
    const item = campaign_id
      ? { campaign_id, player_id, currency: 'EUR' }
      : directIssue({ player_id, valid_until: i % 10 === 4 ? later(noon, 1000) : end });
    issued.push(accepted('Issue', await call(url, 'Issue', { ...item, issue_id: randomUUID() })));
  }
  accepted('Issue', await call(url, 'Issue', directIssue({ player_id: 'anna', valid_until: end }), rival));
}
await fill();
beforeEach(() => setClock(sql, later(noon, 500)));

/** As it must be: newest first, and of one instant the greater id first. */
const expected = (keep: (freeBet: (typeof issued)[number]) => boolean = () => true) =>
  issued
    .filter(keep)
    .toSorted((a, b) => (a.issued_at + a.issue_id < b.issued_at + b.issue_id ? 1 : -1))
    .map((freeBet) => freeBet.issue_id);

const idsOf = (entries: { issue_id: string }[]) => entries.map((freeBet) => freeBet.issue_id);
const list = async (request: object) => accepted('FreeBetList', await call(url, 'FreeBetList', request));

test('newest first, fifty when nothing is said, of this partner only', async () => {
  const { free_bets, next_cursor } = await list({});
  assert.equal(free_bets.length, 50);
  assert.deepEqual(idsOf(free_bets), expected().slice(0, 50));
  assert.equal(typeof next_cursor, 'string');
});

test('an entry is the free bet as it is read by itself', async () => {
  const { free_bets } = await list({ limit: 10 });
  for (const freeBet of free_bets) {
    const { bets, ...alone } = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: freeBet.issue_id }));
    assert.deepEqual(freeBet, alone);
    assert.deepEqual(bets, []);
  }
});

test('pages of any size lead to the end, with no repeat and no gap', async () => {
  for (const limit of [1, 7, 20, 59, 60, 61, 200]) {
    const { entries, pages } = await walk(url, 'FreeBetList', { limit });
    assert.deepEqual(idsOf(entries), expected(), `pages of ${limit}`);
    assert.ok(pages.slice(0, -1).every((size) => size === limit));
    assert.equal(pages.length, Math.ceil(60 / limit), `pages of ${limit}`);
  }
});

test('filters alone', async () => {
  const ofPlayer = await walk(url, 'FreeBetList', { player_id: 'anna', limit: 7 });
  assert.deepEqual(
    idsOf(ofPlayer.entries),
    expected((freeBet) => freeBet.player_id === 'anna'),
  );
  const ofCampaign = await walk(url, 'FreeBetList', { campaign_id: 'A', limit: 7 });
  assert.deepEqual(
    idsOf(ofCampaign.entries),
    expected((freeBet) => freeBet.campaign_id === 'A'),
  );
  assert.deepEqual(await list({ player_id: 'Anna' }), { free_bets: [], next_cursor: null });
  assert.deepEqual(await list({ campaign_id: 'C' }), { free_bets: [], next_cursor: null });
});

test('between two times, the first of which counts and the second does not, alone and with every filter', async () => {
  const [from, until] = [later(noon, 12), later(noon, 40)];
  const within = (freeBet: { issued_at: string }) => freeBet.issued_at >= from && freeBet.issued_at < until;
  const between = { issued_from: from, issued_until: until };
  const found = async (request: object) => idsOf((await walk(url, 'FreeBetList', request)).entries);
  for (const limit of [1, 5, 28, 200]) assert.deepEqual(await found({ ...between, limit }), expected(within));
  assert.equal(expected(within).length, 28);
  assert.deepEqual(
    await found({ ...between, player_id: 'cleo', limit: 3 }),
    expected((each) => within(each) && each.player_id === 'cleo'),
  );
  assert.deepEqual(
    await found({ ...between, campaign_id: 'A', player_id: 'cleo', status: 'active', limit: 2 }),
    expected((each) => within(each) && each.campaign_id === 'A' && each.player_id === 'cleo'),
  );
  assert.deepEqual(
    await found({ issued_from: from }),
    expected((each) => each.issued_at >= from),
  );
  assert.deepEqual(
    await found({ issued_until: from }),
    expected((each) => each.issued_at < from),
  );
});

test('filters together', async () => {
  const cancelled = expected((freeBet) => freeBet.player_id === 'ben').filter((_, i) => i % 2 === 0);
  for (const issue_id of cancelled) accepted('Cancel', await call(url, 'Cancel', { issue_id }));
  const isCancelled = (freeBet: { issue_id: string }) => cancelled.includes(freeBet.issue_id);
  const byStatus = await walk(url, 'FreeBetList', { status: 'cancelled', limit: 3 });
  assert.deepEqual(idsOf(byStatus.entries), expected(isCancelled));
  const ofPlayer = await walk(url, 'FreeBetList', { player_id: 'ben', status: 'active', limit: 2 });
  assert.deepEqual(
    idsOf(ofPlayer.entries),
    expected((freeBet) => freeBet.player_id === 'ben' && !isCancelled(freeBet)),
  );
  const all = { player_id: 'ben', campaign_id: 'A', status: 'cancelled', limit: 1 };
  const ofAll = await walk(url, 'FreeBetList', all);
  assert.deepEqual(
    idsOf(ofAll.entries),
    expected((freeBet) => isCancelled(freeBet) && freeBet.campaign_id === 'A'),
  );
  assert.ok(ofAll.entries.length > 0);
  const both = await walk(url, 'FreeBetList', { player_id: 'cleo', campaign_id: 'B', limit: 2 });
  assert.deepEqual(
    idsOf(both.entries),
    expected((freeBet) => freeBet.player_id === 'cleo' && freeBet.campaign_id === 'B'),
  );
});

test('time decides the status in a list too', async () => {
  await setClock(sql, later(noon, 999));
  assert.deepEqual(await list({ status: 'expired' }), { free_bets: [], next_cursor: null });
  await setClock(sql, later(noon, 1000));
  const { entries } = await walk(url, 'FreeBetList', { status: 'expired' });
  assert.ok(entries.length > 0 && entries.every((freeBet) => freeBet.expires_at === later(noon, 1000)));
  for (const status of ['issued', 'in_use', 'finished']) {
    assert.deepEqual(await list({ status }), { free_bets: [], next_cursor: null });
  }
});

test('free bets issued meanwhile neither repeat nor hide existing ones', async () => {
  const before = expected();
  const { entries } = await walk(url, 'FreeBetList', { limit: 9 }, async (page) => {
    await setClock(sql, later(noon, 2000 + page));
    for (let i = 0; i < 5; i++) {
      const body = directIssue({ player_id: 'late', valid_until: end });
      accepted('Issue', await call(url, 'Issue', body));
    }
  });
  assert.deepEqual(idsOf(entries), before);
  const { entries: late } = await walk(url, 'FreeBetList', { player_id: 'late' });
  assert.equal(late.length, 5 * 7);
});
