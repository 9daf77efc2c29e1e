import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { campaignStatus } from '../../../packages/server/src/domain/campaign.ts';
import {
  accepted,
  acceptedAgain,
  campaignIn,
  cancel,
  create,
  emittedIn,
  given,
  issue,
  minute,
  newWorkingSet,
  refused,
  start,
  stop,
} from './working-sets.ts';

const end = start + 60 * minute;

describe('a campaign is created', () => {
  it('as it was asked for, with nothing issued', () => {
    const working = newWorkingSet();
    assert.deepEqual(accepted(working, create(), start), { campaign_id: 'spring' });
    const { campaign, state } = campaignIn(working);
    const { kind: _, ...asked } = create();
    assert.deepEqual(campaign, { ...asked, createdAt: start });
    assert.deepEqual(state, { issued: 0, cancelled: 0, expired: 0, finished: 0, betsPlaced: 0, stoppedAt: null });
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
    it(what, () => refused(error, newWorkingSet(), command, start, fields));
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

  it('is stopped whatever else it is', () => {
    const working = given(create({ bonusLimit: 1 }), issue(), stop());
    for (const now of [start, end]) assert.equal(statusOf(working, now), 'stopped');
  });
});
