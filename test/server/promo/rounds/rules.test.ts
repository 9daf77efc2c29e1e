import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeBetStatus } from '../../../../packages/server/src/promo/free-bets/free-bet.ts';
import {
  accepted,
  acceptedAgain,
  bet,
  campaignIn,
  cancel,
  create,
  direct,
  emittedIn,
  expire,
  freeBetIn,
  given,
  issue,
  lost,
  minute,
  newWorkingSet,
  refused,
  reloaded,
  rollBack,
  start,
  totalsIn,
  won,
} from '../batch/working-sets.ts';

const end = start + 60 * minute;
const e4 = (coefficient: number) => Math.round(coefficient * 10_000);
const limited = direct({}, { minCoefficient: e4(1.5), maxCoefficient: e4(3) });

describe('a bet is placed', () => {
  it('with one use of the free bet', () => {
    const working = given(create({}, { minCoefficient: e4(1.2) }), issue());
    assert.deepEqual(accepted(working, bet(), start + 1), {
      bet_id: 'bet-1',
      issue_id: 'issue-1',
      currency: 'EUR',
      amount: '1.00',
      remaining: 1,
      min_coefficient: '1.20',
      max_coefficient: null,
    });
    assert.equal(campaignIn(working).state.betsPlaced, 1);
    assert.deepEqual(totalsIn(working), [], 'a bet that is out may still win, as it could before');
    assert.deepEqual(emittedIn(working), ['freebet.used']);
  });

  it('idempotently by its id, as it was answered the first time', () => {
    const first = accepted(given(direct()), bet());
    for (const working of [
      given(direct(), bet()),
      given(direct(), bet(), lost()),
      given(direct(), bet({ betId: 'bet-0' }), bet()),
    ]) {
      const again = acceptedAgain(working, bet(), end + 1);
      assert.deepEqual({ ...again, remaining: first.remaining }, first);
      refused('id_reused', working, bet({ gameId: 'dice' }));
      refused('id_reused', working, bet({ issueId: 'issue-2' }));
    }
  });

  it('under an id of its provider’s own: another may use the same', () => {
    const working = given(direct({}, { games: ['crash', 'mines'] }), bet());
    accepted(working, bet({ providerId: 'heron', gameId: 'mines' }));
    assert.equal(freeBetIn(working).betsPlaced, 2);
  });

  it('as if there were no free bet, for another player or a provider none of whose games it covers', () => {
    refused('free_bet_not_found', newWorkingSet(), bet());
    refused('free_bet_not_found', given(direct()), bet({ playerId: 'ben' }));
    refused('free_bet_not_found', given(direct()), bet({ providerId: 'heron', gameId: 'mines' }));
    refused('free_bet_not_found', given(direct(), cancel()), bet({ playerId: 'ben' }));
  });

  it('only in a game that it covers and that is its provider’s', () => {
    const working = given(direct({}, { games: ['crash', 'mines'] }));
    refused('game_not_covered', working, bet({ gameId: 'dice' }));
    refused('game_not_covered', working, bet({ gameId: 'mines' }));
    refused('game_not_covered', working, bet({ gameId: 'unknown' }));
  });

  it('only while the free bet lasts, and not more often than it says', () => {
    const late = given(direct({}, { validFrom: start + minute }));
    refused('free_bet_not_started', late, bet(), start + minute - 1);
    accepted(late, bet(), start + minute);
    accepted(given(direct()), bet(), end - 1);
    refused('free_bet_expired', given(direct()), bet(), end);
    refused('free_bet_cancelled', given(direct(), cancel()), bet());
    refused('free_bet_used_up', given(direct({}, { quantity: 1 }), bet()), bet({ betId: 'bet-2' }));
  });

  it('for the first of several reasons: game, cancellation, start, uses, time, odds', () => {
    const odds = { coefficient: e4(9) };
    refused('game_not_covered', given(direct(), cancel()), bet({ gameId: 'dice' }));
    const ofLater = given(direct({}, { validFrom: start + minute }), cancel());
    refused('free_bet_cancelled', ofLater, bet());
    const used = given(direct({}, { quantity: 1, maxCoefficient: e4(3) }), bet());
    refused('free_bet_used_up', used, bet({ betId: 'bet-2', ...odds }), end);
    refused('free_bet_expired', given(limited), bet(odds), end);
  });

  it('at odds within the limits, the limits among them, where the odds come with the bet', () => {
    for (const coefficient of [1.5, 2, 3]) accepted(given(limited), bet({ coefficient: e4(coefficient) }));
    const reasonsAt = (coefficient: number) => outOfRange(given(limited), bet({ coefficient: e4(coefficient) }));
    assert.deepEqual(reasonsAt(1.4999), ['must be at least 1.50, the minimum of the free bet']);
    assert.deepEqual(reasonsAt(3.0001), ['must be at most 3.00, the maximum of the free bet']);
  });
});

/** Refused for its coefficient. Returns the reasons. */
const outOfRange = (working: Parameters<typeof refused>[1], command: Parameters<typeof refused>[2]) =>
  refused('coefficient_out_of_range', working, command, start, ['coefficient']);

describe('a bet is settled', () => {
  it('as lost, for nothing', () => {
    const working = given(create(), issue(), bet());
    assert.deepEqual(accepted(working, lost(), start + 1), {
      bet_id: 'bet-1',
      result: 'lost',
      coefficient: null,
      win_amount: '0.00',
      currency: 'EUR',
    });
    assert.deepEqual([totalsIn(working), emittedIn(working)], [[['EUR', -1, 0n]], ['freebet.settled']]);
  });

  it('as won, for the stake times the odds, less the stake, rounded down', () => {
    const wonBy = (betAmount: number, coefficient: number, stakeReturned = false) => {
      const working = newWorkingSet({ stakeReturned });
      accepted(working, direct({ betAmount }));
      accepted(working, bet());
      return accepted(working, won(coefficient)).win_amount;
    };
    assert.equal(wonBy(100, e4(2.5)), '1.50');
    assert.equal(wonBy(100, e4(2.5), true), '2.50');
    assert.equal(wonBy(100, e4(1)), '0.00');
    assert.equal(wonBy(33, e4(1.1)), '0.03', 'of 3.3 cents the third is cut off');
    assert.equal(wonBy(1, e4(1.9999)), '0.00');
    assert.equal(wonBy(999_999_999_999_999, 9_999_999_999), '9999989998999990000.01');
  });

  it('idempotently: the same again answers again, anything else is refused', () => {
    const asWon = given(direct(), bet(), won(e4(2)));
    assert.equal(acceptedAgain(asWon, won(e4(2)), end).win_amount, '1.00');
    for (const other of [won(e4(2.1)), lost(), rollBack()]) refused('bet_already_settled', asWon, other);
    const asLost = given(direct(), bet(), lost());
    acceptedAgain(asLost, lost());
    for (const other of [won(e4(2)), rollBack()]) refused('bet_already_settled', asLost, other);
  });

  it('after its free bet has expired, when it was placed in time', () => {
    const working = given(create(), issue(), bet(), [expire(), end]);
    accepted(working, won(e4(3)), end + minute);
    assert.deepEqual(totalsIn(working), [['EUR', -1, 200n]]);
    assert.equal(freeBetStatus(freeBetIn(working), end + minute), 'expired');
  });

  it('and with the last of them its free bet is finished', () => {
    const working = given(create(), issue(), bet(), bet({ betId: 'bet-2' }), lost());
    assert.equal(campaignIn(working).state.finished, 0);
    accepted(working, lost('bet-2'));
    assert.equal(campaignIn(working).state.finished, 1);
    assert.deepEqual(emittedIn(working), ['freebet.settled', 'freebet.finished']);
  });

  it('unless there is none, or it was rolled back', () => {
    refused('bet_not_found', newWorkingSet(), lost());
    refused('bet_not_found', given(direct(), bet()), lost('bet-1', 'heron'));
    refused('bet_rolled_back', given(direct(), bet(), rollBack()), lost());
    refused('bet_rolled_back', given(rollBack()), won(e4(2)));
  });

  it('not below the minimum; above the maximum the maximum is paid', () => {
    const working = given(limited, bet());
    assert.deepEqual(outOfRange(working, won(e4(1.4999))), ['must be at least 1.50, the minimum of the free bet']);
    const answer = accepted(working, won(e4(50)));
    assert.deepEqual([answer.coefficient, answer.win_amount], ['3.00', '2.00']);
    assert.deepEqual(acceptedAgain(reloaded(working), won(e4(50))), answer);
    refused('bet_already_settled', reloaded(working), won(e4(3)));
  });

  it('at the odds it was placed at, where they came with the bet', () => {
    const working = given(limited, bet({ coefficient: e4(2) }));
    for (const coefficient of [2.0001, 1.9999, 1]) {
      assert.deepEqual(outOfRange(working, won(e4(coefficient))), ['must be 2.00, the coefficient of the bet']);
    }
    assert.equal(accepted(working, won(e4(2))).win_amount, '1.00');
  });
});

describe('a bet is rolled back', () => {
  it('as if it had never been, and its free bet is as good as before', () => {
    const working = given(create({}, { quantity: 1 }), issue(), bet());
    assert.deepEqual(accepted(working, rollBack(), start + 1), {});
    assert.deepEqual([campaignIn(working).state.betsPlaced, totalsIn(working)], [0, []]);
    assert.deepEqual(emittedIn(working), ['freebet.rolled_back']);
    assert.deepEqual(acceptedAgain(working, rollBack()), {});
    refused('bet_rolled_back', working, bet());
    accepted(working, bet({ betId: 'bet-2' }));
  });

  it('before it has come, and then it never comes', () => {
    const working = given(direct());
    assert.deepEqual(accepted(working, rollBack()), {});
    assert.deepEqual(emittedIn(working), [], 'the partner has not heard of it');
    acceptedAgain(working, rollBack());
    refused('bet_rolled_back', reloaded(working), bet());
    accepted(working, bet({ providerId: 'lantern', betId: 'bet-2' }));
  });

  it('not when it was settled', () => {
    refused('bet_already_settled', given(direct(), bet(), won(e4(2))), rollBack());
  });

  it('after the time of its free bet: what comes back has expired, with an event when nothing else had', () => {
    const single = given(create({}, { quantity: 1 }), issue(), bet(), [expire(), end]);
    accepted(single, rollBack(), end + 1);
    assert.deepEqual([campaignIn(single).state.expired, totalsIn(single)], [1, [['EUR', -1, 0n]]]);
    assert.deepEqual(emittedIn(single), ['freebet.rolled_back', 'freebet.expired']);
    const several = given(create(), issue(), bet(), [expire(), end]);
    assert.equal(campaignIn(several).state.expired, 1);
    accepted(several, rollBack(), end + 1);
    assert.deepEqual([campaignIn(several).state.expired, totalsIn(several)], [1, [['EUR', -1, 0n]]]);
    assert.deepEqual(emittedIn(several), ['freebet.rolled_back']);
  });

  it('after that time, but before the sweeper came: the sweeper finds all of it', () => {
    const working = given(create({}, { quantity: 1 }), issue(), bet());
    accepted(working, rollBack(), end + 1);
    assert.deepEqual([emittedIn(working), totalsIn(working)], [['freebet.rolled_back'], []]);
    refused('free_bet_expired', working, bet({ betId: 'bet-2' }), end + 1);
    accepted(working, expire(), end + 2);
    assert.deepEqual([campaignIn(working).state.expired, totalsIn(working)], [1, [['EUR', -1, 0n]]]);
  });
});
