import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, refused } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { campaign, directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

for (let i = 0; i < 3; i++) {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign()));
  accepted('Issue', await call(url, 'Issue', directIssue()));
}

const lists = ['FreeBetList', 'CampaignList'] as const;
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const someId = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

test('a limit is from 1 to 200', async () => {
  for (const name of lists) {
    for (const limit of [0, -1, 201, 1.5, '10', null]) {
      refused('invalid_request', await call(url, name, { limit }), ['limit']);
    }
    for (const limit of [1, 200]) accepted(name, await call(url, name, { limit }));
  }
});

test('a time to begin with is not after the time to end before', async () => {
  for (const [name, what] of [
    ['FreeBetList', 'issued'],
    ['CampaignList', 'created'],
  ] as const) {
    const [from, until] = [`${what}_from`, `${what}_until`];
    const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z'];
    const answer = refused('invalid_request', await call(url, name, { [from]: late, [until]: early }), [from]);
    assert.equal(answer.details?.[0]?.reason, `must not be after ${until}`);
    accepted(name, await call(url, name, { [from]: early, [until]: late }));
    accepted(name, await call(url, name, { [from]: early, [until]: early }));
    refused('invalid_request', await call(url, name, { [from]: 'yesterday', [until]: early }), [from]);
  }
});

test('an unknown status is refused', async () => {
  for (const name of lists) {
    for (const status of ['Active', '', 'used', null, ['active']]) {
      refused('invalid_request', await call(url, name, { status }), ['status']);
    }
  }
  refused('invalid_request', await call(url, 'FreeBetList', { status: 'stopped' }), ['status']);
  refused('invalid_request', await call(url, 'CampaignList', { status: 'issued' }), ['status']);
});

test('every forged cursor is refused', async () => {
  const forged = [
    '',
    'x',
    'not base64!',
    'a'.repeat(513),
    encoded(null),
    encoded({}),
    encoded([]),
    encoded([1]),
    encoded(['1', someId]),
    encoded([1.5, someId]),
    encoded([-1, someId]),
    encoded([253_402_300_800_000, someId]),
    Buffer.from(`[1e400,"${someId}"]`).toString('base64url'),
    encoded([1, null]),
    encoded([1, '']),
    encoded([1, '\0']),
    encoded([1, 'x'.repeat(300)]),
  ];
  for (const name of lists) {
    for (const cursor of forged) refused('invalid_request', await call(url, name, { cursor }), ['cursor']);
  }
});

test('a cursor for free bets holds a UUID, and nothing that only looks like one', async () => {
  for (const id of ['-'.repeat(36), '0'.repeat(36), someId.replaceAll('-', 'a'), `${someId}0`, 'weekend-2027']) {
    refused('invalid_request', await call(url, 'FreeBetList', { cursor: encoded([1, id]) }), ['cursor']);
  }
});

test('a cursor of the one list is not taken by the other', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'in-words' })));
  const { campaigns, next_cursor } = accepted('CampaignList', await call(url, 'CampaignList', { limit: 1 }));
  assert.equal(campaigns[0].campaign_id, 'in-words');
  refused('invalid_request', await call(url, 'FreeBetList', { cursor: next_cursor }), ['cursor']);
});

test('a cursor of a page that is no longer there still leads on', async () => {
  const cursor = encoded([Date.now() + 1_000_000, someId]);
  const { free_bets, next_cursor } = accepted('FreeBetList', await call(url, 'FreeBetList', { cursor }));
  assert.equal(free_bets.length, 3);
  assert.equal(next_cursor, null);
  const before = accepted('FreeBetList', await call(url, 'FreeBetList', { cursor: encoded([0, someId]) }));
  assert.deepEqual(before, { free_bets: [], next_cursor: null });
});

test('a time is one that exists', async () => {
  for (const [name, what] of [
    ['FreeBetList', 'issued'],
    ['CampaignList', 'created'],
  ] as const) {
    for (const field of [`${what}_from`, `${what}_until`]) {
      for (const wrong of ['2027-02-30T00:00:00Z', '2027-01-01', 'yesterday', 1_800_000_000_000, null, '']) {
        refused('invalid_request', await call(url, name, { [field]: wrong }), [field]);
      }
      for (const right of ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '2027-01-01T00:00:00.123456Z']) {
        accepted(name, await call(url, name, { [field]: right }));
      }
    }
    const other = what === 'issued' ? 'created_from' : 'issued_from';
    refused('invalid_request', await call(url, name, { [other]: '2027-01-01T00:00:00Z' }), [other]);
  }
});

test('filters are checked like every id', async () => {
  const wrong = { player_id: '', campaign_id: 'x'.repeat(65), issue_id: someId };
  refused('invalid_request', await call(url, 'FreeBetList', wrong), ['campaign_id', 'issue_id', 'player_id']);
  refused('invalid_request', await call(url, 'CampaignList', { player_id: 'anna' }), ['player_id']);
});
