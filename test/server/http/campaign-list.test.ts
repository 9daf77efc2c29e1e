import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call, rival } from '../../support/caller.ts';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { walk } from '../../support/pages.ts';
import { campaign } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const noon = '2027-06-01T12:00:00.000Z';
const created: { campaign_id: string; created_at: string }[] = [];

/** Three campaigns at each instant, with ids that sort differently by bytes, by case and by language. */
async function fill(): Promise<void> {
  const names = ['zebra', 'Äpfel', 'apple', 'Zoo', '💥'.repeat(64), '"\\"'.repeat(21), 'a b', '10', '9'];
  for (let i = 0; i < 45; i++) {
    const created_at = later(noon, Math.floor(i / 3));
    await setClock(sql, created_at);
    const campaign_id = i < names.length ? (names[i] ?? '') : `campaign-${i}`;
    const body = campaign({ campaign_id, valid_from: later(noon, (i % 2) * 1000), valid_until: later(noon, 60_000) });
    accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
    created.push({ campaign_id, created_at });
  }
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ valid_until: later(noon, 60_000) }), rival));
}
await fill();
beforeEach(() => setClock(sql, later(noon, 500)));

const expected = () =>
  created
    .toSorted((a, b) => {
      if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
      return Buffer.compare(Buffer.from(b.campaign_id), Buffer.from(a.campaign_id));
    })
    .map(({ campaign_id }) => campaign_id);

const idsOf = (entries: { campaign_id: string }[]) => entries.map(({ campaign_id }) => campaign_id);
const list = async (request: object) => accepted('CampaignList', await call(url, 'CampaignList', request));

test('newest first, of this partner only, each as it is read by itself but for the counts', async () => {
  const { campaigns, next_cursor } = await list({});
  assert.equal(next_cursor, null);
  assert.deepEqual(idsOf(campaigns), expected());
  for (const listed of campaigns.slice(-10)) {
    const request = { campaign_id: listed.campaign_id };
    const { counts, winnings, exposure, ...alone } = accepted('CampaignGet', await call(url, 'CampaignGet', request));
    assert.deepEqual(listed, alone);
    assert.ok(counts && winnings && exposure);
  }
});

test('pages of any size lead to the end, with no repeat and no gap', async () => {
  for (const limit of [1, 2, 44, 45, 46, 200]) {
    const { entries, pages } = await walk(url, 'CampaignList', { limit });
    assert.deepEqual(idsOf(entries), expected(), `pages of ${limit}`);
    assert.equal(pages.length, Math.ceil(45 / limit));
  }
});

test('by status, in pages, and the status changes with time and deeds', async () => {
  const odd = (wanted: number) =>
    expected().filter((id) => created.findIndex((c) => c.campaign_id === id) % 2 === wanted);
  const active = await walk(url, 'CampaignList', { status: 'active', limit: 4 });
  assert.deepEqual(idsOf(active.entries), odd(0));
  const scheduled = await walk(url, 'CampaignList', { status: 'scheduled', limit: 4 });
  assert.deepEqual(idsOf(scheduled.entries), odd(1));
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'zebra' }));
  assert.deepEqual(idsOf((await list({ status: 'stopped' })).campaigns), ['zebra']);
  await setClock(sql, later(noon, 60_000));
  const ended = await walk(url, 'CampaignList', { status: 'ended', limit: 20 });
  assert.equal(ended.entries.length, 44);
  assert.deepEqual(await list({ status: 'active' }), { campaigns: [], next_cursor: null });
});

test('campaigns created meanwhile neither repeat nor hide what was there', async () => {
  const before = expected();
  const { entries } = await walk(url, 'CampaignList', { limit: 10 }, async () => {
    const body = campaign({ valid_until: later(noon, 60_000) });
    accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
  });
  assert.deepEqual(idsOf(entries), before);
});
