import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { campaignStatus } from '../../../../packages/server/src/promo/campaigns/campaign.ts';
import {
  accepted,
  acceptedAgain,
  campaignIn,
  cancel,
  create,
  emittedIn,
  given,
  heldIn,
  issue,
  limits,
  minute,
  newWorkingSet,
  pause,
  refused,
  reloaded,
  resume,
  start,
  stop,
} from '../batch/working-sets.ts';

const end = start + 60 * minute;

describe('a campaign is created', () => {
  it('as it was asked for, with nothing issued', () => {
    const working = newWorkingSet();
    assert.deepEqual(accepted(working, create(), start), { campaign_id: 'spring' });
    const { campaign, state } = campaignIn(working);
    const { kind: _, ...asked } = create();
    const terms = { ...asked.terms, stakeReturned: false };
    assert.deepEqual(campaign, { ...asked, terms, createdAt: start });
    assert.deepEqual(state, {
      ...{ issued: 0, cancelled: 0, expired: 0, finished: 0, betsPlaced: 0 },
      ...{ stoppedAt: null, pausedAt: null, changedLimits: null },
    });
    assert.deepEqual(emittedIn(working), ['campaign.created']);
  });

  it('idempotently by its id: the same content answers again, other content is refused', () => {
    for (const working of [given(create()), given(create(), stop())]) {
      assert.deepEqual(acceptedAgain(working, create(), start + minute), { campaign_id: 'spring' });
      refused('id_reused', working, create({}, { quantity: 3 }));
    }
  });

  it('answers again even when it could not be created any more', () => {
    acceptedAgain(given(create()), create(), end + minute);
  });
});

describe('a campaign is refused', () => {
  const cases: [what: string, command: ReturnType<typeof create>, error: Parameters<typeof refused>[0], string[]][] = [
    ['that is over already', create({}, { validUntil: start }), 'invalid_validity', ['valid_until']],
    [
      'that was over before',
      create({}, { validFrom: start - 2, validUntil: start - 1 }),
      'invalid_validity',
      ['valid_until'],
    ],
    ['that ends where it begins', create({}, { validFrom: end }), 'invalid_validity', ['valid_from']],
    [
      'with a game that is not offered',
      create({}, { games: ['crash', 'chess', 'retired'] }),
      'game_not_available',
      ['games[1]', 'games[2]'],
    ],
    [
      'with a game without free bets',
      create({}, { games: ['poker', 'crash'] }),
      'game_without_free_bets',
      ['games[0]'],
    ],
    [
      'in a currency that one of its providers does not take',
      create({}, { games: ['crash', 'mines'] }),
      'currency_not_allowed',
      ['bet_amounts[1].currency'],
    ],
  ];
  for (const [what, command, error, fields] of cases) {
    it(what, () => void refused(error, newWorkingSet(), command, start, fields));
  }

  it('for the first of several reasons: dates, then games, then currencies', () => {
    const working = newWorkingSet();
    const wrong = { validFrom: end, games: ['chess', 'poker', 'mines'] };
    refused('invalid_validity', working, create({}, wrong), start, ['valid_from']);
    refused('game_not_available', working, create({}, { ...wrong, validFrom: start }), start, ['games[0]']);
    refused('game_without_free_bets', working, create({}, { games: ['poker', 'mines'] }), start, ['games[0]']);
  });

  it('and may be created under the same id afterwards', () => {
    const working = newWorkingSet();
    refused('invalid_validity', working, create(), end, ['valid_until']);
    accepted(working, create(), end - 1);
  });
});

describe('a campaign is stopped', () => {
  it('for good, and answers the same again', () => {
    const working = given(create());
    assert.deepEqual(accepted(working, stop(), start + 1), {});
    assert.equal(campaignIn(working).state.stoppedAt, start + 1);
    assert.deepEqual(emittedIn(working), ['campaign.stopped']);
    assert.deepEqual(acceptedAgain(working, stop(), start + 2), {});
    assert.equal(campaignIn(working).state.stoppedAt, start + 1);
  });

  it('also when it has ended, and not when there is none', () => {
    accepted(given(create()), stop(), end);
    refused('campaign_not_found', given(create()), stop('autumn'));
  });
});

describe('a campaign is paused', () => {
  it('and gives nothing until it is resumed', () => {
    const working = given(create());
    assert.deepEqual(accepted(working, pause(), start + 1), {});
    assert.equal(campaignIn(working).state.pausedAt, start + 1);
    assert.deepEqual(acceptedAgain(working, pause(), start + 2), {});
    refused('campaign_paused', working, issue());
    refused('campaign_ended', working, issue(), end);
    assert.deepEqual(accepted(working, resume(), start + 3), {});
    assert.deepEqual(acceptedAgain(working, resume(), start + 3), {});
    accepted(working, issue());
    assert.deepEqual(emittedIn(working), ['campaign.paused', 'campaign.resumed', 'freebet.issued']);
  });

  it('while what it gave lives on, and is answered again', () => {
    const working = given(create(), issue(), pause());
    acceptedAgain(working, issue());
    accepted(working, cancel());
  });

  it('only if it could give something: stopped or ended, it stays as it is', () => {
    for (const change of [pause(), resume()]) {
      acceptedAgain(given(create(), stop()), change);
      acceptedAgain(given(create()), change, end);
      acceptedAgain(given(create(), pause(), stop()), change);
      acceptedAgain(given(create(), pause()), change, end);
      refused('campaign_not_found', given(create()), { ...change, campaignId: 'autumn' } as typeof change);
    }
  });
});

describe('the limits of a campaign change', () => {
  const to = (player: string, id: string) => issue({ playerId: player, issueId: id });

  it('to the requested limits, and returns the campaign', () => {
    const working = given(create({ bonusLimit: 1 }));
    const { config, limits_changed_at, status } = accepted(working, limits(3, 2), start + 1);
    assert.deepEqual([config.bonus_limit, config.bonus_limit_per_user, status], [3, 2, 'active']);
    assert.equal(limits_changed_at, new Date(start + 1).toISOString());
    assert.deepEqual(emittedIn(working), ['campaign.limits_changed']);
    acceptedAgain(working, limits(3, 2), start + 2);
    acceptedAgain(working, create({ bonusLimit: 1 }), start + 2);
  });

  it('not at all where they are those in force already', () => {
    const { limits_changed_at } = acceptedAgain(given(create({ bonusLimit: 4 })), limits(4, null));
    assert.equal(limits_changed_at, null);
  });

  it('also to less than was given: nothing is taken back, and nothing more is given', () => {
    const working = given(create(), to('ann', 'a'), to('ben', 'b'));
    assert.equal(accepted(working, limits(1, null)).status, 'exhausted');
    assert.deepEqual(emittedIn(working), ['campaign.limits_changed']);
    refused('bonus_limit_reached', working, to('cleo', 'c'));
    accepted(working, cancel('a'));
    refused('bonus_limit_reached', working, to('cleo', 'c'));
    accepted(working, cancel('b'));
    accepted(working, to('cleo', 'c'));
    assert.equal(emittedIn(working).at(-1), 'campaign.exhausted');
    accepted(working, limits(null, null));
    accepted(working, to('dora', 'd'));
  });

  it('and a limit for players added later counts what they had before', () => {
    const working = given(create(), to('ann', 'a'), to('ann', 'b'), cancel('b'));
    accepted(working, limits(null, 2));
    accepted(working, to('ann', 'c'));
    refused('bonus_limit_per_user_reached', working, to('ann', 'd'));
    refused('bonus_limit_per_user_reached', reloaded(working), to('ann', 'd'));
    accepted(working, cancel('a'));
    accepted(working, to('ann', 'd'));
    assert.equal(heldIn(reloaded(working)), 2);
  });

  it('in the very batch in which the campaign was made, and its first free bets given', () => {
    const working = newWorkingSet();
    for (const command of [create(), to('ann', 'a'), to('ann', 'b'), cancel('b')]) accepted(working, command);
    assert.equal(working.changes.campaignPlayers.size, 0);
    accepted(working, limits(null, 1));
    refused('bonus_limit_per_user_reached', working, to('ann', 'c'));
    accepted(working, to('ben', 'c'));
  });

  it('and what players hold is kept while the limit is gone, so that another one is exact', () => {
    const working = given(create({ bonusLimitPerUser: 1 }), to('ann', 'a'), limits(null, null), to('ann', 'b'));
    accepted(working, limits(null, 3));
    accepted(working, to('ann', 'c'));
    refused('bonus_limit_per_user_reached', working, to('ann', 'd'));
  });

  it('of a paused, stopped or ended one too, and not of one that is not there', () => {
    accepted(given(create(), pause()), limits(1, 1));
    accepted(given(create(), stop()), limits(1, 1), end);
    refused('campaign_not_found', given(create()), limits(1, 1, 'autumn'));
  });
});

describe('the status of a campaign', () => {
  const statusOf = (working: ReturnType<typeof given>, now: number) => {
    const { campaign, state } = campaignIn(working);
    return campaignStatus(campaign, state, now);
  };

  it('follows its dates, each from that very instant on', () => {
    const working = given(create({}, { validFrom: start + minute }));
    const statuses = [start, start + minute - 1, start + minute, end - 1, end].map((now) => statusOf(working, now));
    assert.deepEqual(statuses, ['scheduled', 'scheduled', 'active', 'active', 'ended']);
  });

  it('is exhausted while its limit is reached, and active again when a place is given back', () => {
    const working = given(create({ bonusLimit: 1 }), issue());
    assert.equal(statusOf(working, start), 'exhausted');
    assert.equal(statusOf(working, end), 'ended');
    accepted(working, cancel());
    assert.equal(statusOf(working, start), 'active');
  });

  it('is paused before it is exhausted or scheduled, and not when it has ended', () => {
    assert.equal(statusOf(given(create({ bonusLimit: 1 }), issue(), pause()), start), 'paused');
    const working = given(create({}, { validFrom: start + minute }), pause());
    assert.deepEqual(
      [start, end - 1, end].map((now) => statusOf(working, now)),
      ['paused', 'paused', 'ended'],
    );
  });

  it('is stopped in any other state', () => {
    const working = given(create({ bonusLimit: 1 }), issue(), pause(), stop());
    for (const now of [start, end]) assert.equal(statusOf(working, now), 'stopped');
  });
});
