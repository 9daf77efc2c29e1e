import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { walk } from '../../../support/pages.ts';
import { campaign } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000' });

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

test('newest first, of this partner only, each as it is read by itself', async () => {
  const { campaigns, next_cursor } = await list({});
  assert.equal(next_cursor, null);
  assert.deepEqual(idsOf(campaigns), expected());
  for (const listed of campaigns.slice(-10)) {
    const request = { campaign_id: listed.campaign_id };
    assert.deepEqual(listed, accepted('CampaignGet', await call(url, 'CampaignGet', request)));
  }
});

test('between two times, the first of which counts and the second does not, in pages, and with a status', async () => {
  const [from, until] = [later(noon, 3), later(noon, 9)];
  const within = (id: string) => {
    const at = created.find(({ campaign_id }) => campaign_id === id)?.created_at ?? '';
    return at >= from && at < until;
  };
  const wanted = expected().filter(within);
  assert.equal(wanted.length, 18);
  const idsBetween = async (request: object) => idsOf((await walk(url, 'CampaignList', request)).entries);
  const between = { created_from: from, created_until: until };
  for (const limit of [1, 4, 18, 200]) assert.deepEqual(await idsBetween({ ...between, limit }), wanted, `${limit}`);
  const active = await idsBetween({ ...between, status: 'active', limit: 2 });
  assert.equal(active.length, 9);
  assert.deepEqual(active, (await idsBetween({ status: 'active' })).filter(within));
  assert.deepEqual(await idsBetween({ created_from: from }), expected().slice(0, 36));
  assert.deepEqual(await idsBetween({ created_until: from }), expected().slice(36));
  assert.deepEqual(await idsBetween({ created_from: from, created_until: from }), []);
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

test('campaigns created meanwhile neither repeat nor hide existing ones', async () => {
  const before = expected();
  const { entries } = await walk(url, 'CampaignList', { limit: 10 }, async () => {
    const body = campaign({ valid_until: later(noon, 60_000) });
    accepted('CampaignCreate', await call(url, 'CampaignCreate', body));
  });
  assert.deepEqual(idsOf(entries), before);
});

test('every campaign shows its own counts, winnings and exposure, including overdue free bets that are not swept', async () => {
  await setClock(sql, noon);
  const terms = { valid_from: noon, valid_until: later(noon, 60_000), config: { max_coefficient: '3.00' } };
  const ids = ['counted-1', 'counted-2', 'counted-3'];
  for (const [i, campaign_id] of ids.entries()) {
    accepted(
      'CampaignCreate',
      await call(url, 'CampaignCreate', campaign({ campaign_id, ...terms, duration_min: i === 1 ? 1 : 5 })),
    );
    for (let n = 0; n <= i; n++) {
      const currency = n === 2 ? 'USD' : 'EUR';
      const issue = { campaign_id, player_id: `p${n}`, currency };
      accepted('Issue', await call(url, 'Issue', issue));
    }
  }
  await sql.query(`UPDATE free_bets SET expires_at = $1 WHERE campaign_id = 'counted-2'`, [later(noon, 400)]);
  const listed = async () => {
    const { campaigns } = await list({ limit: 200 });
    return campaigns.filter(({ campaign_id }: { campaign_id: string }) => ids.includes(campaign_id)).toReversed();
  };
  const shown = (each: { counts: { issued: number; expired: number }; exposure: { amount: string }[] }) => [
    each.counts.issued,
    each.counts.expired,
    ...each.exposure.map(({ amount }) => amount),
  ];
  assert.deepEqual((await listed()).map(shown), [
    [1, 0, '6.00', '0.00'],
    [2, 0, '12.00', '0.00'],
    [3, 0, '12.00', '7.20'],
  ]);
  await setClock(sql, later(noon, 400));
  const later400 = await listed();
  assert.deepEqual(later400.map(shown)[1], [2, 2, '0.00', '0.00']);
  for (const each of later400) {
    const { campaign_id } = each;
    assert.deepEqual(each, accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id })));
  }
});
