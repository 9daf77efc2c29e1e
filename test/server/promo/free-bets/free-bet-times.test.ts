import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const minute = 60_000;
const noon = '2027-06-01T12:00:00.000Z';
const at = (ms: number) => later(noon, ms);

const statusOf = async (issue_id: string) => accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id })).status;

async function listedAs(issue_id: string): Promise<string[]> {
  const found: string[] = [];
  for (const status of ['issued', 'active', 'in_use', 'finished', 'cancelled', 'expired']) {
    const { free_bets } = accepted('FreeBetList', await call(url, 'FreeBetList', { status, limit: 200 }));
    for (const freeBet of free_bets) {
      assert.equal(freeBet.status, status);
      if (freeBet.issue_id === issue_id) found.push(status);
    }
  }
  return found;
}

async function issuedAt(ms: number, changes: object): Promise<{ issue_id: string; expires_at: string }> {
  await setClock(sql, at(ms));
  return accepted('Issue', await call(url, 'Issue', directIssue({ issue_id: randomUUID(), ...changes })));
}

test('issued until valid_from, active at it, expired at expires_at: to the millisecond, read and listed', async () => {
  const { issue_id } = await issuedAt(0, { valid_from: at(minute), valid_until: at(2 * minute) });
  const course: [number, string][] = [
    [0, 'issued'],
    [minute - 1, 'issued'],
    [minute, 'active'],
    [2 * minute - 1, 'active'],
    [2 * minute, 'expired'],
    [3 * minute, 'expired'],
  ];
  for (const [ms, status] of course) {
    await setClock(sql, at(ms));
    assert.equal(await statusOf(issue_id), status, `at ${ms} ms`);
    assert.deepEqual(await listedAs(issue_id), [status], `at ${ms} ms`);
  }
});

test('duration_min counts from the issue, when validity has begun', async () => {
  const validity = { valid_from: at(-minute), valid_until: at(60 * minute) };
  const { issue_id, expires_at } = await issuedAt(500, { ...validity, duration_min: 5 });
  assert.equal(expires_at, at(500 + 5 * minute));
  await setClock(sql, at(499 + 5 * minute));
  assert.equal(await statusOf(issue_id), 'active');
  await setClock(sql, at(500 + 5 * minute));
  assert.equal(await statusOf(issue_id), 'expired');
});

test('duration_min counts from valid_from, when that is yet to come', async () => {
  const validity = { valid_from: at(10 * minute), valid_until: at(60 * minute) };
  const { issue_id, expires_at } = await issuedAt(0, { ...validity, duration_min: 5 });
  assert.equal(expires_at, at(15 * minute));
  await setClock(sql, at(10 * minute));
  assert.equal(await statusOf(issue_id), 'active');
  await setClock(sql, at(15 * minute));
  assert.equal(await statusOf(issue_id), 'expired');
});

test('valid_until cuts a longer duration short', async () => {
  const inFull = await issuedAt(0, { valid_until: at(5 * minute), duration_min: 5 });
  assert.equal(inFull.expires_at, at(5 * minute));
  const cut = await issuedAt(1, { valid_until: at(5 * minute), duration_min: 5 });
  assert.equal(cut.expires_at, at(5 * minute));
  const oneYear = await issuedAt(0, { valid_until: '9999-12-31T23:59:59.999Z', duration_min: 525_600 });
  assert.equal(oneYear.expires_at, '2028-05-31T12:00:00.000Z');
  const forever = await issuedAt(0, { valid_until: '9999-12-31T23:59:59.999Z' });
  assert.equal(forever.expires_at, '9999-12-31T23:59:59.999Z');
});

test('the same holds for the free bets of a campaign, each from its own issue', async () => {
  await setClock(sql, noon);
  const terms = { campaign_id: 'timed', valid_from: at(minute), valid_until: at(20 * minute), duration_min: 10 };
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign(terms)));
  const expectations: [number, string, number][] = [
    [0, 'issued', 11 * minute],
    [minute, 'active', 11 * minute],
    [5 * minute, 'active', 15 * minute],
    [15 * minute, 'active', 20 * minute],
  ];
  for (const [ms, status, expiry] of expectations) {
    await setClock(sql, at(ms));
    const item = { campaign_id: 'timed', player_id: 'someone', currency: 'EUR' };
    const body = accepted('Issue', await call(url, 'Issue', item));
    assert.deepEqual([body.status, body.expires_at], [status, at(expiry)], `at ${ms} ms`);
  }
});

test('fractions of a second are kept to the millisecond, finer ones cut off', async () => {
  await setClock(sql, noon);
  const asked = directIssue({ valid_from: '2027-06-01T12:00:00.1Z', valid_until: '2027-06-01T12:00:01.123999999Z' });
  const body = accepted('Issue', await call(url, 'Issue', asked));
  assert.equal(body.valid_from, at(100));
  assert.equal(body.valid_until, at(1123));
});
