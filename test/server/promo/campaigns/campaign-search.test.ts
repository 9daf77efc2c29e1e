import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000' });

const noon = '2027-06-01T12:00:00.000Z';
/** By the order in which they were created. */
const given = [
  { campaign_id: 'a-1', name: 'Éclair weekend', valid_until: later(noon, 60_000) },
  { campaign_id: 'b-2', name: 'welcome 50% off_peak', valid_until: later(noon, 90_000) },
  { campaign_id: 'c-3', name: 'Welcome', valid_until: later(noon, 30_000) },
  { campaign_id: 'WELCOME-4', name: 'Älpler', valid_until: later(noon, 1000) },
  { campaign_id: 'd-5', name: 'Welcome', valid_until: later(noon, 30_000) },
  { campaign_id: '💥'.repeat(64), name: '💥'.repeat(120), valid_until: later(noon, 70_000) },
];
for (const [i, changes] of given.entries()) {
  await setClock(sql, later(noon, i));
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ valid_from: noon, ...changes })));
}
const ofRival = campaign({ campaign_id: 'theirs', name: 'Welcome', valid_until: later(noon, 60_000) });
accepted('CampaignCreate', await call(url, 'CampaignCreate', ofRival, rival));
accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'd-5' }));
await setClock(sql, later(noon, 5000));
const viewer = await signedIn(sql, 'viewer');

const search = (request: object) => acceptedStaffCall(url, '/Campaign/Search', { client_id: 1, ...request }, viewer);

/** The places among those given, over all pages. */
async function found(request: object, limit = 50): Promise<number[]> {
  const places: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { campaigns, next_cursor } = await search({ ...request, limit, ...(cursor !== undefined && { cursor }) });
    assert.ok(campaigns.length <= limit);
    places.push(
      ...campaigns.map((each: { campaign_id: string }) =>
        given.findIndex(({ campaign_id }) => campaign_id === each.campaign_id),
      ),
    );
    cursor = next_cursor;
  }
  return places;
}

test('newest first, each as it is read by itself', async () => {
  const { campaigns } = await search({});
  assert.equal(campaigns.length, given.length);
  for (const each of campaigns) {
    const one = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: each.campaign_id }));
    assert.deepEqual(each, one);
  }
});

test('in every order, whole in pages of any size', async () => {
  // In the order of bytes behind small letters: A-umlaut and E-acute are behind all of ASCII.
  const wanted = {
    newest: [5, 4, 3, 2, 1, 0],
    ends_soonest: [2, 4, 0, 5, 1],
    name: [2, 4, 1, 3, 0, 5],
  };
  for (const [sort, places] of Object.entries(wanted)) {
    for (const limit of [1, 2, 5, 100]) assert.deepEqual(await found({ sort }, limit), places, `${sort} by ${limit}`);
  }
});

test('a part of the name or of the id, in any case; signs stand for themselves', async () => {
  for (const sort of ['newest', 'ends_soonest', 'name']) {
    const all = await found({ sort });
    const expected = (...places: number[]) => all.filter((place) => places.includes(place));
    assert.deepEqual(await found({ sort, search: 'welCOME' }, 1), expected(1, 2, 3, 4), sort);
    assert.deepEqual(await found({ sort, search: '50% off_' }), expected(1));
    assert.deepEqual(await found({ sort, search: '%' }), expected(1));
    assert.deepEqual(await found({ sort, search: 'ÉCLAIR' }), expected(0));
    assert.deepEqual(await found({ sort, search: '-4' }), expected(3));
    assert.deepEqual(await found({ sort, search: 'theirs' }), []);
  }
});

test('a search by status also finds ended campaigns', async () => {
  assert.deepEqual(await found({ status: 'ended', sort: 'ends_soonest' }), [3]);
  assert.deepEqual(await found({ status: 'stopped', search: 'welcome' }), [4]);
  assert.deepEqual(await found({ status: 'active', sort: 'name' }, 1), [2, 1, 0, 5]);
});

test('live campaigns include paused and exhausted ones', async () => {
  const before = await found({ status: 'live' });
  assert.deepEqual(before, [5, 2, 1, 0]);
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: 'c-3' }));
  assert.deepEqual(await found({ status: 'live' }), before);
  assert.deepEqual(await found({ status: 'paused' }), [2]);
  accepted('CampaignResume', await call(url, 'CampaignResume', { campaign_id: 'c-3' }));
});

test('one that has not begun is not live, though it is paused or has given all', async () => {
  const terms = { valid_from: later(noon, 60_000), valid_until: later(noon, 90_000), config: { bonus_limit: 1 } };
  for (const campaign_id of ['paused', 'exhausted']) {
    accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, ...terms }), rival));
  }
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: 'paused' }, rival));
  const player = { player_id: 'ann', currency: 'EUR', campaign_id: 'exhausted' };
  accepted('Issue', await call(url, 'Issue', player, rival));
  const ofRival = async (status: string) =>
    (await search({ client_id: 2, status })).campaigns.map((each: { campaign_id: string }) => each.campaign_id);
  assert.deepEqual(await ofRival('live'), ['theirs']);
  assert.deepEqual([...(await ofRival('paused')), ...(await ofRival('exhausted'))], ['paused', 'exhausted']);
  const begun = { campaign_id: 'begins now', valid_from: later(noon, 5000), valid_until: later(noon, 90_000) };
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign(begun), rival));
  assert.deepEqual(await ofRival('live'), ['begins now', 'theirs']);
});

test('where few match a page is bounded, and says where to go on', async () => {
  await sql.query(
    `INSERT INTO campaigns SELECT 2, 'many-' || i, 'Many', 1, '{g}', '[["EUR", 100]]', $1, $1, NULL, NULL, NULL, NULL, NULL, '', $1
     FROM generate_series(1, 10500) i`,
    [noon],
  );
  await sql.query(`INSERT INTO campaign_states SELECT 2, 'many-' || i FROM generate_series(1, 10500) i`);
  for (const sort of ['newest', 'name']) {
    const wanted = { client_id: 2, search: 'theirs', sort };
    const first = await search(wanted);
    const second = first.next_cursor === null ? first : await search({ ...wanted, cursor: first.next_cursor });
    assert.deepEqual(
      [...first.campaigns, ...second.campaigns].map((each: { campaign_id: string }) => each.campaign_id).slice(0, 1),
      ['theirs'],
    );
    if (sort === 'name') assert.deepEqual([first.campaigns, second.next_cursor], [[], null]);
  }
});

test('an invalid cursor is refused', async () => {
  for (const cursor of [
    'x',
    Buffer.from('[1]').toString('base64url'),
    Buffer.from('["\\u0000"]').toString('base64url'),
  ]) {
    const { status, body } = await staffCall(url, '/Campaign/Search', { client_id: 1, cursor }, viewer);
    assert.deepEqual([status, body.details?.[0]?.field], [400, 'cursor']);
  }
});
