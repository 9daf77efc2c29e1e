import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { EventBody } from '@freebets/contract';
import type pg from 'pg';
import { assertActivityHolds } from '../support/activity.ts';
import { accepted } from '../support/answers.ts';
import { type Answer, call, demo, rival } from '../support/caller.ts';
import { later } from '../support/clock.ts';
import { testDatabase } from '../support/database.ts';
import { follow } from '../support/feed.ts';
import { assertFoldsToRows } from '../support/fold.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { times } from '../support/long.ts';
import { campaign, directIssue } from '../support/requests.ts';
import { assertRoundsHold } from '../support/round-invariants.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// The clock of a sandbox is set forward again and again while requests and two sweepers are at work on two servers. After a
// Set has returned, no response has an earlier time, nothing expires twice, and the feed has no gap and no step back across a Set.

const { env, sql } = await testDatabase();
const servers = await Promise.all([1, 2].map(() => testServer({ ...env, SWEEP_PAUSE_MS: '20', SWEEP_BATCH: '7' })));
const urls = servers.map(({ url }) => url);
const urlOf = (turn: number) => urls[turn % urls.length] as string;

const hour = 3_600_000;
const farOff = '2040-01-01T00:00:00Z';
const clockAt = async (url: string): Promise<string> =>
  accepted('SandboxClockGet', await call(url, 'SandboxClockGet', {})).now;

await call(urlOf(0), 'CampaignCreate', campaign({ campaign_id: 'c', valid_until: farOff, duration_min: 90 }));
const follower = follow(urls, () => 100);
/** What the latest Set that was answered has set. */
let answered = await clockAt(urlOf(0));
let isOver = false;

/** Issues, plays and cancels, each at another server. */
async function request(turn: number): Promise<void> {
  const url = urlOf(turn);
  const known = answered;
  const issue =
    turn % 2 === 0
      ? { campaign_id: 'c', player_id: `player-${turn % 5}`, currency: 'EUR' }
      : directIssue({ valid_until: later(known, 400 * hour), duration_min: 60 + (turn % 50), quantity: 2 });
  const { issue_id, issued_at } = accepted('Issue', await call(url, 'Issue', { issue_id: randomUUID(), ...issue }));
  assert.ok(issued_at >= known, `issued at ${issued_at}, after the clock was set to ${known}`);
  if (turn % 3 === 0) await call(urlOf(turn + 1), 'SandboxRound', { issue_id, result: 'rolled_back' });
  if (turn % 4 === 0) await call(urlOf(turn + 1), 'SandboxRound', { issue_id, result: 'lost' });
  if (turn % 5 === 0) await call(urlOf(turn + 1), 'Cancel', { issue_id });
}

async function keepRequesting(first: number): Promise<void> {
  for (let turn = first; !isOver; turn += 4) await request(turn);
}

async function keepReading(url: string): Promise<void> {
  while (!isOver) {
    const known = answered;
    const now = await clockAt(url);
    assert.ok(now >= known, `read ${now}, after the clock was set to ${known}`);
  }
}

test('no response of either server has an earlier time than was set, during any work', async () => {
  const load = [...[0, 1, 2, 3].map(keepRequesting), ...urls.map(keepReading)];
  const failed = Promise.all(load);
  failed.catch(() => {});
  for (let i = 0; i < times(25, 35); i++) {
    const now = later(await clockAt(urlOf(i)), hour / 2);
    accepted('SandboxClockSet', await call(urlOf(i), 'SandboxClockSet', { now }));
    answered = now;
  }
  isOver = true;
  await failed;
});

test('nothing has expired twice or too early, and the feed tells everything in its order', async () => {
  const { now } = accepted(
    'SandboxClockSet',
    await call(urlOf(0), 'SandboxClockSet', { now: later(answered, 500 * hour) }),
  );
  await until('all is swept', 60_000, async () => {
    const { rows } = await sql.query('SELECT FROM free_bets WHERE client_id = 1 AND NOT swept');
    return rows.length === 0;
  });
  const events = await follower.end();
  await assertFoldsToRows(sql, events);
  await assertCountsHold(sql);
  await assertRoundsHold(sql);
  await assertActivityHolds(sql);
  const expired = events.filter(({ type }) => type === 'freebet.expired').map(freeBetOf);
  assert.ok(expired.length > 20);
  assert.equal(new Set(expired.map(({ issue_id }) => issue_id)).size, expired.length);
  for (const event of events) {
    assert.ok(event.occurred_at <= later(now, 60_000));
    if (event.type === 'freebet.expired') assert.ok(freeBetOf(event).expires_at <= event.occurred_at);
  }
  // Batches of two servers may be numbered in another order than they read the clock in, by as long as a batch takes; but
  // no batch is under way while the clock is moved, so that never by as much as it moves.
  for (const [i, { occurred_at }] of events.entries()) {
    const before = events[i - 1]?.occurred_at ?? occurred_at;
    assert.ok(occurred_at >= later(before, -hour / 4), `${occurred_at} after ${before}`);
  }
});

/** Another transaction, which holds a row. */
async function holding<T>(statement: string, work: (hold: pg.PoolClient) => Promise<T>): Promise<T> {
  const hold = await sql.connect();
  try {
    await hold.query('BEGIN');
    await hold.query(statement);
    return await work(hold);
  } finally {
    await hold.query('COMMIT');
    hold.release();
  }
}

const issueAt = (url: string) => call(url, 'Issue', directIssue({ valid_until: farOff }));

test('a clock is not moved under a batch that has read it', async () => {
  const now = later(await clockAt(urlOf(0)), hour);
  const ended: string[] = [];
  const note = (what: string) => (answer: Answer) => {
    ended.push(what);
    return answer;
  };
  const [issued, set] = await holding('SELECT FROM event_heads WHERE client_id = 1 FOR UPDATE', async () => {
    const issuing = issueAt(urlOf(0)).then(note('issue'));
    await setTimeout(150);
    const setting = call(urlOf(1), 'SandboxClockSet', { now }).then(note('set'));
    await setTimeout(150);
    assert.deepEqual(ended, [], 'both wait');
    return [issuing, setting];
  });
  assert.ok(accepted('Issue', await (issued as Promise<Answer>)).issued_at < now);
  accepted('SandboxClockSet', await (set as Promise<Answer>));
});

test('a batch that waited while the clock was moved has the time that was set, or a later one', async () => {
  const now = later(await clockAt(urlOf(0)), hour);
  const issuing = await holding('SELECT FROM event_heads WHERE client_id = 1 FOR UPDATE', async (hold) => {
    const issuing = issueAt(urlOf(0));
    await setTimeout(200);
    await hold.query(
      `UPDATE sandbox_clocks SET ahead = extract(epoch FROM $1 - world_now()) * interval '1 second' WHERE client_id = 1`,
      [now],
    );
    return [issuing];
  });
  const { issued_at } = accepted('Issue', (await issuing[0]) as Answer);
  assert.ok(issued_at >= now, `${issued_at} is before ${now}`);
});

test('no other partner was touched', async () => {
  const { offset_s } = accepted('SandboxClockGet', await call(urlOf(0), 'SandboxClockGet', {}, rival));
  assert.equal(offset_s, 0);
  assert.notEqual(rival.clientId, demo.clientId);
});

function freeBetOf({ type, data }: EventBody) {
  assert.ok('free_bet' in data, type);
  return data.free_bet;
}
