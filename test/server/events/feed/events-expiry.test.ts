import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { EventBody, OperationName } from '@freebets/contract';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// freebet.expired is emitted once, when the sweeper finds the expiry, and only for free bets with bets left. The first
// server does not sweep; two more, started after the first part, sweep often.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, WORKER: 'off' });

const start = '2027-03-01T12:00:00.000Z';
const end = later(start, 3_600_000);
const player_id = 'late';
const game_id = games.one;
const campaign_id = 'short';

const done = async (name: OperationName, body: object) => accepted(name, await call(url, name, body));
const doneAs = async (name: OperationName, body: object) => accepted(name, await callAs(lantern, url, name, body));

const issue = async (): Promise<string> => (await done('Issue', { campaign_id, player_id, currency: 'EUR' })).issue_id;
const bet = async (issue_id: string): Promise<string> =>
  (await doneAs('RoundsBet', { bet_id: randomUUID(), issue_id, player_id, game_id })).bet_id;
const rollback = (bet_id: string) => doneAs('RoundsRollback', { bet_id });
const settle = (bet_id: string) => doneAs('RoundsSettle', { bet_id, result: 'lost' });

let read = 0;
/** The events since the last call, in short. */
async function emitted(): Promise<string[]> {
  const events = await readFeed(url, demo, read);
  read += events.length;
  return events.map(short);
}

function short({ type, data, occurred_at }: EventBody): string {
  assert.ok('free_bet' in data, type);
  const { issue_id, status, remaining } = data.free_bet;
  return `${type} ${issue_id} ${status} ${remaining} at ${occurred_at}`;
}

const isSwept = async () => {
  const { rows } = await sql.query('SELECT 1 FROM free_bets WHERE NOT swept AND expires_at <= world_now()');
  return rows.length === 0;
};

await setClock(sql, start);
await done('CampaignCreate', campaign({ campaign_id, valid_from: start, valid_until: end }));
const unused = await issue();
const direct = (await done('Issue', directIssue({ player_id, valid_until: end }))).issue_id;
const brief = (await done('Issue', directIssue({ player_id, valid_until: end, duration_min: 1 }))).issue_id;
const cancelled = await issue();
await done('Cancel', { issue_id: cancelled });
const finished = await issue();
for (const bet_id of [await bet(finished), await bet(finished), await bet(finished)]) await settle(bet_id);
const partly = await issue();
const [standing, early] = [await bet(partly), await bet(partly)];
const wholly = await issue();
const placed = [await bet(wholly), await bet(wholly), await bet(wholly)] as const;

const notWrittenDown = async () => {
  read = (await readFeed(url)).length;
  await setClock(sql, end);
  refused('free_bet_expired', await call(url, 'Cancel', { issue_id: unused }));
  await rollback(early);
  assert.deepEqual(await emitted(), [`freebet.rolled_back ${partly} expired 2 at ${end}`]);
  await setClock(sql, later(end, -1));
};

const writtenDown = async () => {
  await until('the brief one is swept', 10_000, isSwept);
  assert.deepEqual(await emitted(), [`freebet.expired ${brief} expired 3 at ${later(end, -1)}`]);
  await setClock(sql, end);
  await until('all are swept', 10_000, isSwept);
  assert.deepEqual(
    (await emitted()).toSorted(),
    [
      `freebet.expired ${unused} expired 3 at ${end}`,
      `freebet.expired ${direct} expired 3 at ${end}`,
      `freebet.expired ${partly} expired 2 at ${end}`,
    ].toSorted(),
  );
};

const rolledBack = async () => {
  const after = later(end, 5);
  await setClock(sql, after);
  await rollback(placed[0]);
  assert.deepEqual(await emitted(), [
    `freebet.rolled_back ${wholly} expired 1 at ${after}`,
    `freebet.expired ${wholly} expired 1 at ${after}`,
  ]);
  await rollback(placed[1]);
  await settle(placed[2]);
  await settle(standing);
  assert.deepEqual(await emitted(), [
    `freebet.rolled_back ${wholly} expired 2 at ${after}`,
    `freebet.settled ${wholly} expired 2 at ${after}`,
    `freebet.settled ${partly} expired 2 at ${after}`,
  ]);
};

const usedUp = async () => {
  const validUntil = later(end, 60_000);
  await setClock(sql, later(end, 10));
  const { issue_id } = await done('Issue', directIssue({ player_id, valid_until: validUntil, quantity: 1 }));
  const bet_id = await bet(issue_id);
  await emitted();
  await setClock(sql, validUntil);
  await until('it is swept', 10_000, isSwept);
  assert.deepEqual(await emitted(), []);
  await settle(bet_id);
  assert.deepEqual(await emitted(), [
    `freebet.settled ${issue_id} finished 0 at ${validUntil}`,
    `freebet.finished ${issue_id} finished 0 at ${validUntil}`,
  ]);
};

const manyAtOnce = async () => {
  const valid_until = later(end, 120_000);
  const items = Array.from({ length: 500 }, () => ({ ...directIssue({ valid_until }), issue_id: randomUUID() }));
  await done('IssueBatch', { items });
  await emitted();
  await setClock(sql, valid_until);
  await until('all are swept', 10_000, isSwept);
  assert.deepEqual(
    (await emitted()).toSorted(),
    items.map(({ issue_id }) => `freebet.expired ${issue_id} expired 3 at ${valid_until}`).toSorted(),
  );
};

test('expiry has its event', async (t) => {
  await t.test('what the clock has decided has no event before it is written down', notWrittenDown);
  await Promise.all([testServer({ ...env, SWEEP_PAUSE_MS: '10' }), testServer({ ...env, SWEEP_PAUSE_MS: '10' })]);
  await t.test('remaining bets expire with one event; used-up and cancelled free bets do not', writtenDown);
  await t.test('the first rollback after that tells that the rest has expired, and no other does', rolledBack);
  await t.test('a used-up free bet whose time has come is finished, and never expires', usedUp);
  await t.test('five hundred that expire at one moment, with two to write them down, have one event each', manyAtOnce);
});
