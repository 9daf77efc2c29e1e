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
  heldIn,
  issue,
  lost,
  minute,
  newWorkingSet,
  refused,
  rollBack,
  start,
  stop,
  totalsIn,
} from '../batch/working-sets.ts';

const end = start + 60 * minute;
const second = (changes: object = {}) => issue({ issueId: 'issue-2', ...changes });

describe('a free bet is issued by a campaign', () => {
  it('on its terms, for the amount in the currency of the player', () => {
    const working = given(create());
    const answer = accepted(working, issue({ currency: 'USD' }), start + 5);
    assert.deepEqual(
      [answer.campaign_id, answer.status, answer.bet_amount, answer.quantity, answer.remaining, answer.games],
      ['spring', 'active', '1.20', 2, 2, ['crash']],
    );
    assert.equal(campaignIn(working).state.issued, 1);
    assert.deepEqual(totalsIn(working), [['USD', 2, 0n]]);
    assert.deepEqual(emittedIn(working), ['freebet.issued']);
  });

  it('before the campaign begins, as one that waits for it', () => {
    const answer = accepted(given(create({}, { validFrom: start + minute })), issue());
    assert.equal(answer.status, 'issued');
  });

  it('idempotently by its id, with the original response despite later changes', () => {
    const first = accepted(given(create()), issue());
    const later = [given(create(), issue()), given(create(), issue(), bet()), given(create(), issue(), cancel())];
    for (const working of [...later, given(create(), issue(), stop()), given(create(), issue(), [expire(), end])]) {
      assert.deepEqual(acceptedAgain(working, issue(), end + minute), first);
      refused('id_reused', working, issue({ playerId: 'ben' }));
      refused('id_reused', working, direct());
    }
  });

  it('answers again when the limits are reached by then', () => {
    acceptedAgain(given(create({ bonusLimit: 1, bonusLimitPerUser: 1 }), issue()), issue());
  });

  it('unless there is no such campaign, or it was stopped, or has ended', () => {
    refused('campaign_not_found', given(create()), issue({ campaignId: 'autumn' }));
    refused('campaign_stopped', given(create(), stop()), issue());
    accepted(given(create()), issue(), end - 1);
    refused('campaign_ended', given(create()), issue(), end);
    refused('campaign_stopped', given(create(), stop()), issue(), end);
  });

  it('unless it is in a currency that the campaign does not have', () => {
    refused('currency_not_allowed', given(create()), issue({ currency: 'BRL' }), start, ['currency']);
  });

  it('for the first of several reasons: currency, the campaign’s limit, the player’s', () => {
    const working = given(create({ bonusLimit: 1, bonusLimitPerUser: 1 }), issue());
    refused('currency_not_allowed', working, second({ currency: 'BRL' }), start, ['currency']);
    refused('bonus_limit_reached', working, second());
    refused('bonus_limit_per_user_reached', given(create({ bonusLimit: 2, bonusLimitPerUser: 1 }), issue()), second());
  });
});

describe('the limits of a campaign', () => {
  it('give exactly the places there are, and tell of the last one', () => {
    const working = given(create({ bonusLimit: 2 }), issue());
    accepted(working, second({ playerId: 'ben' }));
    assert.deepEqual(emittedIn(working), ['freebet.issued', 'campaign.exhausted']);
    refused('bonus_limit_reached', working, issue({ issueId: 'issue-3', playerId: 'cleo' }));
  });

  it('give each player exactly their places', () => {
    const working = given(create({ bonusLimitPerUser: 1 }), issue());
    refused('bonus_limit_per_user_reached', working, second());
    accepted(working, second({ playerId: 'ben' }));
    assert.deepEqual([heldIn(working, 'ann'), heldIn(working, 'ben')], [1, 1]);
  });

  it('hold within one batch as between batches', () => {
    const working = newWorkingSet();
    accepted(working, create({ bonusLimit: 2, bonusLimitPerUser: 1 }));
    accepted(working, issue());
    refused('bonus_limit_per_user_reached', working, second());
    accepted(working, second({ playerId: 'ben' }));
    refused('bonus_limit_reached', working, issue({ issueId: 'issue-3', playerId: 'cleo' }));
  });

  it('get the place of a cancelled free bet back, both of them, and only once', () => {
    const working = given(create({ bonusLimit: 1, bonusLimitPerUser: 1 }), issue());
    accepted(working, cancel());
    assert.equal(heldIn(working), 0);
    acceptedAgain(working, cancel());
    accepted(working, second());
    refused('bonus_limit_reached', working, issue({ issueId: 'issue-3', playerId: 'ben' }));
  });

  it('get no place back from one that has expired', () => {
    const working = given(create({ bonusLimit: 1, bonusLimitPerUser: 1 }, { durationMin: 1 }), issue());
    accepted(working, expire(), start + minute);
    refused('bonus_limit_reached', working, second(), start + minute);
  });

  it('do not count players where there is none for them', () => {
    const working = given(create());
    accepted(working, issue());
    assert.deepEqual([heldIn(working), working.changes.campaignPlayers.size], [undefined, 0]);
  });

  it('emit an event again when the last place was given back and taken again', () => {
    const working = given(create({ bonusLimit: 1 }), issue(), cancel());
    accepted(working, second());
    assert.deepEqual(emittedIn(working), ['freebet.issued', 'campaign.exhausted']);
  });
});

describe('a free bet is issued directly', () => {
  it('on its own terms, from now on where it names no start', () => {
    const working = newWorkingSet();
    const answer = accepted(working, direct({ betAmount: 250 }), start + 5);
    assert.deepEqual(
      [answer.campaign_id, answer.status, answer.bet_amount, answer.valid_from],
      [null, 'active', '2.50', new Date(start + 5).toISOString()],
    );
    assert.deepEqual(totalsIn(working), [], 'there is no campaign to count in');
    assert.deepEqual(emittedIn(working), ['freebet.issued']);
  });

  it('idempotently by its id', () => {
    const first = accepted(newWorkingSet(), direct());
    assert.deepEqual(acceptedAgain(given(direct(), cancel()), direct(), end + 1), first);
    refused('id_reused', given(direct()), direct({ betAmount: 101 }));
    refused('id_reused', given(create(), direct()), issue());
  });

  it('by the same rules as a campaign, naming its own fields', () => {
    const refusedFor = (error: Parameters<typeof refused>[0], fields: string[], terms: object, changes: object = {}) =>
      refused(error, newWorkingSet(), direct(changes, terms), start, fields);
    refusedFor('invalid_validity', ['valid_until'], { validUntil: start });
    refusedFor('invalid_validity', ['valid_from'], { validFrom: end });
    refusedFor('invalid_validity', ['valid_until', 'valid_from'], { validFrom: start - 1, validUntil: start - 1 });
    refusedFor('game_not_available', ['games[1]'], { games: ['crash', 'retired'] });
    refusedFor('game_without_free_bets', ['games[0]'], { games: ['poker'] });
    refusedFor('currency_not_allowed', ['currency'], { games: ['mines'] }, { currency: 'USD' });
  });
});

describe('a free bet expires', () => {
  const expiryOf = (terms: object, issuedAt = start) =>
    accepted(newWorkingSet(), direct({}, terms), issuedAt).expires_at;
  const at = (instant: number) => new Date(instant).toISOString();

  it('at the end of its validity, or earlier when its duration is over', () => {
    assert.equal(expiryOf({}), at(end));
    assert.equal(expiryOf({ durationMin: 10 }), at(start + 10 * minute));
    assert.equal(expiryOf({ durationMin: 60 }), at(end));
    assert.equal(expiryOf({ durationMin: 61 }), at(end));
  });

  it('after a duration from the issue or the start of validity, the later of the two', () => {
    assert.equal(expiryOf({ durationMin: 10, validFrom: start + 5 * minute }), at(start + 15 * minute));
    assert.equal(expiryOf({ durationMin: 10, validFrom: start }, start + 7), at(start + 7 + 10 * minute));
  });

  it('at that very instant, and not before; a swept free bet emits one event and is counted', () => {
    const working = given(create(), issue());
    acceptedAgain(working, expire(), end - 1);
    accepted(working, expire(), end);
    assert.equal(freeBetStatus(freeBetIn(working), end), 'expired');
    assert.deepEqual([campaignIn(working).state.expired, ...totalsIn(working)], [1, ['EUR', -2, 0n]]);
    assert.deepEqual(emittedIn(working), ['freebet.expired']);
    acceptedAgain(working, expire(), end + 1);
  });

  it('only with bets left: free bets that wait for settlements, or were cancelled, are swept without an event', () => {
    const waiting = given(create({}, { quantity: 1 }), issue(), bet());
    const cancelled = given(create(), issue(), cancel());
    for (const working of [waiting, cancelled]) {
      accepted(working, expire(), end);
      assert.equal(freeBetIn(working).swept, true);
      assert.deepEqual([emittedIn(working), totalsIn(working), campaignIn(working).state.expired], [[], [], 0]);
    }
  });

  it('stays expired after it was swept, though another clock be a little behind', () => {
    const working = given(create(), issue(), [expire(), end]);
    assert.equal(freeBetStatus(freeBetIn(working), end - 5), 'expired');
    refused('free_bet_expired', working, cancel(), end - 5);
    refused('free_bet_expired', working, bet(), end - 5);
  });

  it('and one that is not there is no fault of the sweeper’s', () => {
    acceptedAgain(newWorkingSet(), expire());
  });
});

describe('a free bet is cancelled', () => {
  it('while it has no bet', () => {
    const working = given(create(), issue());
    assert.deepEqual(accepted(working, cancel(), start + 3), {});
    assert.equal(freeBetIn(working).cancelledAt, start + 3);
    assert.deepEqual([campaignIn(working).state.cancelled, ...totalsIn(working)], [1, ['EUR', -2, 0n]]);
    assert.deepEqual(emittedIn(working), ['freebet.cancelled']);
    assert.deepEqual(acceptedAgain(working, cancel(), end), {});
  });

  it('before it has started, and after its only bet was rolled back', () => {
    accepted(given(direct({}, { validFrom: start + minute })), cancel());
    accepted(given(direct(), bet(), rollBack()), cancel());
  });

  it('unless it is not there, was used, or has expired', () => {
    refused('free_bet_not_found', newWorkingSet(), cancel());
    refused('free_bet_already_used', given(direct(), bet()), cancel());
    refused('free_bet_already_used', given(direct(), bet(), lost()), cancel());
    refused('free_bet_already_used', given(direct(), bet()), cancel(), end);
    accepted(given(direct()), cancel(), end - 1);
    refused('free_bet_expired', given(direct()), cancel(), end);
  });
});

describe('the status of a free bet', () => {
  const statusOf = (now: number, ...commands: Parameters<typeof given>) =>
    freeBetStatus(freeBetIn(given(...commands)), now);
  const late = direct({}, { validFrom: start + minute });
  const single = direct({}, { quantity: 1 });

  it('follows its dates and its bets', () => {
    assert.equal(statusOf(start, late), 'issued');
    assert.equal(statusOf(start + minute, late), 'active');
    assert.equal(statusOf(start, direct(), bet()), 'in_use');
    assert.equal(statusOf(start, direct(), bet(), rollBack()), 'active');
    assert.equal(statusOf(start, direct(), bet(), lost()), 'in_use');
    assert.equal(statusOf(start, single, bet(), lost()), 'finished');
    assert.equal(statusOf(start, direct(), cancel()), 'cancelled');
  });

  it('after its time: expired with bets left, in use while its last bets are unsettled, else unchanged', () => {
    assert.equal(statusOf(end, direct()), 'expired');
    assert.equal(statusOf(end, direct(), bet()), 'expired');
    assert.equal(statusOf(end, single, bet()), 'in_use');
    assert.equal(statusOf(end, single, bet(), lost()), 'finished');
    assert.equal(statusOf(end, single, bet(), [rollBack(), end]), 'expired');
    assert.equal(statusOf(end, direct(), cancel()), 'cancelled');
  });
});
