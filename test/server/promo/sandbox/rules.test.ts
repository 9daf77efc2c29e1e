import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../../../packages/server/src/promo/batch/command.ts';
import {
  accepted,
  acceptedAgain,
  contentOf,
  create,
  emittedIn,
  given,
  issue,
  refused,
  reloaded,
  start,
} from '../batch/working-sets.ts';

// A sandbox is a partner with a clock. Here world time is `start`, and the sandbox is an hour ahead.

const hour = 3_600_000;
const day = 24 * hour;

const withClock = (...commands: Command[]) =>
  Object.assign(given(...commands), { clock: { worldNow: start, aheadMs: hour, setTo: null } });
const businessNow = start + hour;
const set = (to: number): Command => ({ kind: 'set_clock', to });
const round = (changes: object = {}): Command => ({
  kind: 'play_round',
  issueId: 'issue-1',
  betId: 'bet-1',
  gameId: null,
  result: 'lost',
  coefficient: null,
  ...changes,
});

test('the clock moves forward at most two years and to the end of the century', () => {
  const working = withClock();
  const twoYears = Date.UTC(2032, 0, 1, 1);
  assert.deepEqual(accepted(working, set(businessNow), businessNow), {
    now: new Date(businessNow).toISOString(),
    offset_s: 3600,
  });
  refused('invalid_request', working, set(businessNow - 1), businessNow, ['now']);
  refused('invalid_request', working, set(twoYears + 1), businessNow, ['now']);
  refused('invalid_request', working, set(Date.UTC(2101, 0, 1)), businessNow, ['now', 'now']);
  const { now, offset_s } = accepted(working, set(twoYears), businessNow);
  assert.deepEqual([now, offset_s], [new Date(twoYears).toISOString(), (twoYears - start) / 1000]);
  assert.deepEqual([...working.changes.clocks], [{ worldNow: start, aheadMs: twoYears - start, setTo: twoYears }]);
});

test('past 2100 it does not go, however near it is', () => {
  const working = withClock();
  const end = Date.UTC(2100, 0, 1);
  Object.assign(working.clock, { aheadMs: end - day - start });
  refused('invalid_request', working, set(end + 1), end - day, ['now']);
  accepted(working, set(end), end - day);
});

test('the second of two in one batch goes on from the first, and the last may be repeated', () => {
  const working = withClock();
  accepted(working, set(businessNow + day), businessNow);
  refused('invalid_request', working, set(businessNow), businessNow, ['now']);
  accepted(working, set(businessNow + 2 * day), businessNow);
  acceptedAgain(working, set(businessNow + 2 * day), businessNow);
});

test('a partner without a clock is no sandbox', () => {
  const working = given(create(), issue());
  refused('not_a_sandbox', working, set(start + day));
  refused('not_a_sandbox', working, round());
});

test('a round is a bet and what becomes of it, or nothing at all', () => {
  const terms = { minCoefficient: 15_000, maxCoefficient: 30_000 };
  const working = withClock(create({}, terms), issue());
  const now = start + 1;
  refused('free_bet_not_found', working, round({ issueId: 'issue-9' }), now);
  refused('game_not_covered', working, round({ gameId: 'mines' }), now);
  refused('game_not_covered', working, round({ gameId: 'not-offered' }), now);
  const tooLow = round({ result: 'won', coefficient: 14_999 });
  const reasons = refused('coefficient_out_of_range', working, tooLow, now, ['coefficient']);
  assert.deepEqual(reasons, ['must be at least 1.50, the minimum of the free bet']);
  accepted(working, round({ result: 'won', coefficient: 40_000 }), now);
  accepted(working, round({ betId: 'bet-2', result: 'rolled_back' }), now);
  accepted(working, round({ betId: 'bet-3' }), now);
  refused('free_bet_used_up', working, round({ betId: 'bet-4' }), now);
  assert.deepEqual(
    emittedIn(working).map((type) => type.replace('freebet.', '')),
    ['used', 'settled', 'used', 'rolled_back', 'used', 'settled', 'finished'],
  );
  const { bets } = contentOf(working);
  assert.deepEqual(
    [...bets.values()].map((bet) => [bet.providerId, bet.state, 'winAmount' in bet ? bet.winAmount : null]),
    [
      ['lantern', 'won', 200n],
      ['lantern', 'rolled_back', null],
      ['lantern', 'lost', 0n],
    ],
  );
});

test('a round shows the bets of its own free bet in the order they were placed, and walks over no others', () => {
  const working = withClock(create({}, { quantity: 4 }), issue(), issue({ issueId: 'issue-2', playerId: 'ben' }));
  for (const betId of ['bet-2', 'bet-1']) accepted(working, round({ betId }), start + 1);
  accepted(working, round({ issueId: 'issue-2', betId: 'bet-3' }), start + 1);
  accepted(working, round({ betId: 'bet-4', result: 'rolled_back' }), start + 1);
  const loaded = reloaded(working);
  loaded.bets[Symbol.iterator] =
    loaded.bets.values =
    loaded.bets.entries =
      () => assert.fail('all bets are walked over');
  const { bets } = accepted(loaded, round({ betId: 'bet-0' }), start + 2);
  assert.deepEqual(
    bets.map(({ bet_id }: { bet_id: string }) => bet_id),
    ['bet-2', 'bet-1', 'bet-0'],
  );
});
