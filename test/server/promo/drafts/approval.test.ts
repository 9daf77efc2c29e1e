import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command } from '../../../../packages/server/src/promo/batch/command.ts';
import { decide } from '../../../../packages/server/src/promo/batch/decide.ts';
import type { WorkingSet } from '../../../../packages/server/src/promo/batch/working-set.ts';
import { raisedExposureOf } from '../../../../packages/server/src/promo/campaigns/campaign.ts';
import type { Exposure } from '../../../../packages/server/src/promo/drafts/approval.ts';
import { approvalReasons } from '../../../../packages/server/src/promo/drafts/approval.ts';
import { campaignContent, differencesOf } from '../../../../packages/server/src/promo/drafts/draft.ts';
import { campaignIn, create, given, limits, newWorkingSet, start } from '../batch/working-sets.ts';

const limitsOfService = new Map([
  ['EUR', 100_000],
  ['USD', 50_000],
]);
const inEuro = (amount: string | null): Exposure => [{ currency: 'EUR', amount }];

const whyFor = (exposure: Exposure, used: [string, bigint][] = []) =>
  approvalReasons(exposure, limitsOfService, new Map(used)).map(({ currency, reason }) => `${currency} ${reason}`);

describe('a second person must approve', () => {
  it('liability above the limit, to the cent', () => {
    assert.deepEqual(whyFor(inEuro('1000.00')), []);
    assert.deepEqual(whyFor(inEuro('1000.01')), ['EUR above_limit']);
  });

  it('liability above it together with the used allowance, in that currency', () => {
    assert.deepEqual(whyFor(inEuro('0.01'), [['EUR', 99_999n]]), []);
    assert.deepEqual(whyFor(inEuro('0.02'), [['EUR', 99_999n]]), ['EUR above_limit']);
    assert.deepEqual(whyFor(inEuro('1000.00'), [['USD', 50_000n]]), []);
  });

  it('liability without a maximum, or in a currency without a limit', () => {
    assert.deepEqual(whyFor(inEuro(null)), ['EUR no_bound']);
    assert.deepEqual(whyFor([{ currency: 'BRL', amount: '0.01' }]), ['BRL no_limit']);
  });

  it('any of several currencies', () => {
    const both: Exposure = [
      { currency: 'EUR', amount: '1000.00' },
      { currency: 'USD', amount: '500.01' },
    ];
    assert.deepEqual(whyFor(both), ['USD above_limit']);
  });

  it('amounts beyond what a number holds exactly', () => {
    const most = new Map([['EUR', Number.MAX_SAFE_INTEGER]]);
    const amount = (cents: bigint) => inEuro(`${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`);
    const bound = BigInt(Number.MAX_SAFE_INTEGER);
    assert.equal(approvalReasons(amount(bound), most, new Map()).length, 0);
    assert.equal(approvalReasons(amount(bound + 1n), most, new Map()).length, 1);
    assert.equal(approvalReasons(amount(10n ** 30n), most, new Map()).length, 1);
  });

  it('nothing that can win nothing', () => {
    assert.deepEqual(whyFor([{ currency: 'BRL', amount: '0.00' }], [['BRL', 5n]]), []);
    assert.deepEqual(whyFor([]), []);
  });
});

describe('other limits can win more', () => {
  /** One bet wins 1.00 EUR or 1.20 USD at most, and each free bet has two. */
  const raised = (from: [number | null, number | null], to: [number | null, number | null]) => {
    const [bonusLimit, bonusLimitPerUser] = from;
    const entry = campaignIn(given(create({ bonusLimit, bonusLimitPerUser }, { maxCoefficient: 20_000 })));
    return raisedExposureOf(entry, { bonusLimit: to[0], bonusLimitPerUser: to[1] }).map(({ amount }) => amount);
  };

  it('by as many free bets as there are more', () => {
    assert.deepEqual(raised([10, null], [13, null]), ['6.00', '7.20']);
    assert.deepEqual(raised([10, null], [null, null]), [null, null]);
  });

  it('by nothing if they are lower, or if only the per-player cap rises within the campaign cap', () => {
    assert.deepEqual(raised([10, 1], [10, 5]), ['0.00', '0.00']);
    assert.deepEqual(raised([10, 1], [9, null]), ['0.00', '0.00']);
    assert.deepEqual(raised([null, 1], [5, 2]), ['0.00', '0.00']);
    assert.deepEqual(raised([null, 2], [null, 1]), ['0.00', '0.00']);
  });

  it('without a bound where one player may have more of what has none', () => {
    assert.deepEqual(raised([null, 1], [null, 2]), [null, null]);
    assert.deepEqual(raised([null, 1], [null, null]), [null, null]);
  });

  it('compared with the limits in force, not with the original ones', () => {
    const entry = campaignIn(given(create({ bonusLimit: 100 }, { maxCoefficient: 20_000 }), limits(10, null)));
    const more = raisedExposureOf(entry, { bonusLimit: 100, bonusLimitPerUser: null });
    assert.deepEqual(more[0], { currency: 'EUR', amount: '180.00' });
  });
});

describe('a command that is gated', () => {
  const errorOf = (working: WorkingSet, command: Command) => {
    const outcome = decide(working, { ...command, isGated: true }, start);
    return outcome.ok ? undefined : outcome.error;
  };

  it('makes no campaign', () => {
    const working = newWorkingSet();
    assert.equal(errorOf(working, create()), 'approval_needed');
    assert.equal(working.campaigns.size, 0);
  });

  it('raises no limit, and lowers any', () => {
    const from = (bonusLimit: number | null, bonusLimitPerUser: number | null) =>
      given(create({ bonusLimit, bonusLimitPerUser }));
    assert.equal(errorOf(from(10, 2), limits(11, 2)), 'approval_needed');
    assert.equal(errorOf(from(10, 2), limits(10, 3)), 'approval_needed');
    assert.equal(errorOf(from(10, 2), limits(9, 3)), 'approval_needed');
    assert.equal(errorOf(from(10, 2), limits(null, 2)), 'approval_needed');
    assert.equal(errorOf(from(10, 2), limits(10, null)), 'approval_needed');
    assert.equal(errorOf(from(10, 2), limits(9, 2)), undefined);
    assert.equal(errorOf(from(10, 2), limits(10, 2)), undefined);
    assert.equal(errorOf(from(null, null), limits(9, 1)), undefined);
    assert.equal(errorOf(newWorkingSet(), limits(9, 1)), 'campaign_not_found');
  });
});

describe('a draft', () => {
  it('of a campaign copied differs from it where it was changed', () => {
    const content = campaignContent(campaignIn(given(create({ bonusLimit: 10 }, { maxCoefficient: 20_000 }))));
    assert.deepEqual(differencesOf(content, structuredClone(content)), []);
    const { config: _, ...without } = content;
    assert.deepEqual(differencesOf(content, { ...without, name: 'Summer', campaign_id: 'summer' }), [
      { field: 'name', from: 'Spring', to: 'Summer' },
      { field: 'config.bonus_limit', from: 10, to: null },
      { field: 'config.max_coefficient', from: '2.00', to: null },
      { field: 'campaign_id', from: null, to: 'summer' },
    ]);
  });

  it('may have anything in it', () => {
    assert.deepEqual(differencesOf({ a: { b: 1 } }, { a: [1] }), [{ field: 'a', from: { b: 1 }, to: [1] }]);
  });
});
