import assert from 'node:assert/strict';
import { afterEach, describe, it, type TestContext } from 'node:test';
import { assertActivityHolds } from '../support/activity.ts';
import { testDatabase } from '../support/database.ts';
import { readFeed } from '../support/feed.ts';
import { assertFoldsToRows } from '../support/fold.ts';
import { times } from '../support/long.ts';
import { assertRoundsHold } from '../support/round-invariants.ts';
import {
  bet,
  cancel,
  lost,
  type Outcomes,
  type Race,
  rollback,
  runAgainstExpiry,
  runRace,
  type Urls,
  won,
} from '../support/round-waves.ts';
import { otherServer, serverProcess } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// Two servers on one database, their sweepers hurrying, and requests of rounds that exclude each other at the same moment.
// Each race ends in exactly one of the allowed ways, and bets and counts always add up.

// Some ends are rare: where one has not come yet, the race goes on, up to the larger number.
const repetitions = { least: times(100, 120), most: 3000 };

const { env, sql } = await testDatabase();
const hurried = { ...env, SWEEP_PAUSE_MS: '10' };
const urls = (await Promise.all([serverProcess(hurried), otherServer(hurried)])).map(({ url }) => url) as [
  string,
  string,
] satisfies Urls;

/** Every end that is allowed must come, or it was no race. */
function assertAllCame(t: TestContext, { ends }: Race, outcomes: Outcomes): void {
  t.diagnostic(JSON.stringify(outcomes));
  assert.deepEqual(Object.keys(outcomes).sort(), Object.keys(ends).sort(), 'the ends that came');
}

const race = async (t: TestContext, wanted: Race) =>
  assertAllCame(t, wanted, await runRace(urls, wanted, repetitions, {}));

/** Afterwards the sweepers write everything down, and it still adds up. */
async function raceAgainstExpiry(t: TestContext, wanted: Race): Promise<void> {
  assertAllCame(t, wanted, await runAgainstExpiry(urls, sql, wanted, repetitions));
  await assertRoundsHold(sql);
  const overdue = 'SELECT count(*)::int AS n FROM free_bets WHERE NOT swept AND expires_at <= world_now()';
  await until('all are swept', 10_000, async () => (await sql.query(overdue)).rows[0].n === 0);
}

afterEach(() => assertRoundsHold(sql));

describe('a bet and a cancellation at the same moment', () => {
  it('the last bet of a free bet: one of two bets succeeds, never both', (t) =>
    race(t, {
      quantity: 1,
      sides: (place) => [bet(place), cancel(place)],
      ends: { '200 620': ['in_use 0'], '614 200': ['cancelled 1'] },
    }));

  it('the rollback of the only bet always succeeds, and the cancellation when it comes after', (t) =>
    race(t, {
      quantity: 1,
      before: (place) => [bet(place)],
      sides: (place) => [rollback(place), cancel(place)],
      ends: { '200 620': ['active 1'], '200 200': ['cancelled 1'] },
    }));
});

describe('a settlement at the same moment as something else', () => {
  it('a rollback: the bet is settled or gone', (t) =>
    race(t, {
      quantity: 2,
      before: (place) => [bet(place)],
      sides: (place) => [won(place), rollback(place)],
      ends: { '200 622': ['in_use 1'], '623 200': ['active 2'] },
    }));

  it('another settlement: won or lost, never both', (t) =>
    race(t, {
      quantity: 1,
      before: (place) => [bet(place)],
      sides: (place) => [won(place), lost(place)],
      ends: { '200 622': ['finished 0'], '622 200': ['finished 0'] },
    }));
});

describe('one bet_id twice at the same moment', () => {
  it('with the same content: one bet, and both answers are equal', (t) =>
    race(t, {
      quantity: 1,
      sides: (place) => [bet(place), bet(place), bet(place)],
      ends: { '200 200 200': ['in_use 0'] },
      also: (_, answers) => {
        for (const { body } of answers) assert.deepEqual(body, answers[0]?.body);
      },
    }));

  it('with another coefficient: one succeeds, the other is refused for its id', (t) =>
    race(t, {
      quantity: 1,
      sides: (place) => [bet(place, { coefficient: '2.00' }), bet(place, { coefficient: '2.01' })],
      ends: { '200 409': ['in_use 0'], '409 200': ['in_use 0'] },
    }));

  it('for two free bets: one is used, the other untouched', (t) =>
    race(t, {
      quantity: 2,
      freeBets: 2,
      sides: (place) => [bet(place, { issue: 0 }), bet(place, { issue: 1 })],
      ends: { '200 409': ['in_use 1', 'active 2'], '409 200': ['active 2', 'in_use 1'] },
    }));
});

describe('two bets for the last remaining bet', () => {
  it('two bets for the last place: one gets it', (t) =>
    race(t, {
      quantity: 2,
      before: (place) => [bet(place, { bet: 1 })],
      sides: (place) => [bet(place), bet({ ...place, betIds: [place.issueIds[0] as string, place.betIds[1]] })],
      ends: { '200 613': ['in_use 0'], '613 200': ['in_use 0'] },
    }));

  it('a bet and its own rollback: the bet never happened', (t) =>
    race(t, {
      quantity: 2,
      sides: (place) => [bet(place), rollback(place)],
      ends: { '200 200': ['active 2'], '623 200': ['active 2'] },
      after: (place) => [
        [bet(place), 623],
        [lost(place), 623],
      ],
    }));
});

describe('the time of a free bet comes while it is used', () => {
  it('a bet is in time or is not', (t) =>
    raceAgainstExpiry(t, {
      quantity: 1,
      sides: (place) => [bet(place)],
      ends: { 200: ['in_use 0'], 611: ['expired 1'] },
      after: (place, [answer]) => [
        [bet(place, { bet: 1 }), answer?.status === 200 ? 613 : 611],
        [bet(place), answer?.status === 200 ? 200 : 611],
      ],
    }));

  it('a cancellation is in time or is not', (t) =>
    raceAgainstExpiry(t, {
      quantity: 2,
      sides: (place) => [cancel(place)],
      ends: { 200: ['cancelled 2'], 611: ['expired 2'] },
      after: (place, [answer]) => [
        [bet(place), answer?.status === 200 ? 614 : 611],
        [cancel(place), answer?.status === 200 ? 200 : 611],
      ],
    }));

  it('a bet is in time or not, and a bet rolled back meanwhile expires with the free bet', (t) =>
    raceAgainstExpiry(t, {
      quantity: 2,
      before: (place) => [bet(place, { bet: 1 })],
      sides: (place) => [bet(place), rollback(place, 1)],
      ends: { '200 200': ['expired 1'], '611 200': ['expired 2'] },
    }));

  it('a bet placed in time is settled or rolled back', (t) =>
    raceAgainstExpiry(t, {
      quantity: 2,
      before: (place) => [bet(place), bet(place, { bet: 1 })],
      sides: (place) => [won(place), rollback(place), rollback(place, 1)],
      ends: { '200 622 200': ['expired 1'], '623 200 200': ['expired 2'] },
    }));
});

it('and all its events add up to what there is', async (t) => {
  const events = await readFeed(urls[0]);
  t.diagnostic(`${events.length} events`);
  await assertFoldsToRows(sql, events);
  await assertActivityHolds(sql);
});
