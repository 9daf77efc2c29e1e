import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CommandOf, issueDirectCommand } from '../../../../packages/server/src/promo/batch/command.ts';
import type { WorkingSet } from '../../../../packages/server/src/promo/batch/working-set.ts';
import { maxExposureOf } from '../../../../packages/server/src/promo/campaigns/campaign.ts';
import { addItems, exposureOfSums } from '../../../../packages/server/src/promo/jobs/exposure.ts';
import { commandOfItem } from '../../../../packages/server/src/promo/jobs/items.ts';
import {
  accepted,
  acceptedAgain,
  bet,
  campaignIn,
  changePayout,
  create,
  direct,
  freeBetIn,
  given,
  issue,
  limits,
  newWorkingSet,
  start,
  won,
} from '../batch/working-sets.ts';

// Whether a win pays the stake as well is decided when terms are created, and never changes later.

const capped = { maxCoefficient: 10_000 };

/** What a bet of 1.00 at 1.00 wins. */
function winOf(working: WorkingSet, issueId = 'issue-1', betId = 'bet-1'): string {
  accepted(working, bet({ issueId, betId }));
  return accepted(working, won(10_000, betId)).win_amount;
}

describe('the payout type', () => {
  it('of a campaign is that of its creation, also for free bets issued after a change', () => {
    const working = given(create({ bonusLimit: 10 }, capped), issue());
    changePayout(working, true);
    accepted(working, issue({ issueId: 'issue-2' }));
    assert.deepEqual([winOf(working), winOf(working, 'issue-2', 'bet-2')], ['0.00', '0.00']);
    assert.deepEqual(maxExposureOf(campaignIn(working).campaign)[0], { currency: 'EUR', amount: '0.00' });
    assert.equal(accepted(working, limits(20, null)).stake_returned, false);
    accepted(working, create({ campaignId: 'summer', bonusLimit: 10 }, capped));
    accepted(working, issue({ issueId: 'issue-3', campaignId: 'summer' }));
    changePayout(working, false);
    assert.equal(winOf(working, 'issue-3', 'bet-3'), '1.00');
    assert.deepEqual(maxExposureOf(campaignIn(working, 'summer').campaign)[0], { currency: 'EUR', amount: '20.00' });
  });

  it('of a direct free bet is that of its issue, whenever its bet was placed', () => {
    const working = given(direct({}, capped), bet());
    changePayout(working, true);
    assert.equal(accepted(working, won(10_000)).win_amount, '0.00');
    accepted(working, direct({ issueId: 'issue-2' }, capped));
    changePayout(working, false);
    assert.equal(winOf(working, 'issue-2', 'bet-2'), '1.00');
  });

  it('is not part of the content: a repeated request returns the original', () => {
    const working = given(create(), issue(), direct({ issueId: 'issue-2' }));
    changePayout(working, true);
    for (const command of [create(), issue(), direct({ issueId: 'issue-2' })]) acceptedAgain(working, command);
    acceptedAgain(working, { ...direct({ issueId: 'issue-2' }), stakeReturned: true });
    assert.equal(freeBetIn(working, 'issue-2').terms.stakeReturned, false);
  });

  it('of a direct issue is the one its exposure was judged by, if the command has it', () => {
    const working = newWorkingSet();
    accepted(working, direct({ stakeReturned: true }));
    assert.equal(freeBetIn(working).terms.stakeReturned, true);
  });
});

describe('a direct job', () => {
  const { terms, betAmount } = direct({}, capped);
  const createJob: CommandOf<'create_job'> = {
    ...{ kind: 'create_job', jobId: 'job-1', name: 'A job', campaignId: null, startAt: null, contentHash: 'a' },
    shared: { betAmount, terms },
    quota: { jobs: 10, bytes: 1000 },
  };
  const jobIn = (working: WorkingSet) => {
    const job = working.jobs.get('job-1');
    assert(job?.shared);
    return { ...job, shared: job.shared };
  };

  it('gives its items the payout type of its creation, and its exposure counts the same', () => {
    const working = newWorkingSet({ stakeReturned: true });
    accepted(working, createJob);
    changePayout(working, false);
    acceptedAgain(working, createJob);
    const job = jobIn(working);
    accepted(working, commandOfItem(job, 1, 0, ['ann', 'EUR', 'issue-1', null, null]), start);
    assert.equal(winOf(working), '1.00');
    const sums = new Map<string, bigint>();
    addItems(sums, [['ann', 'EUR', null, null, null]], job.shared);
    assert.deepEqual(exposureOfSums(sums, job.shared), [{ currency: 'EUR', amount: '2.00' }]);
  });

  it('makes free bets with the same content as a request for one alone', () => {
    const working = newWorkingSet({ stakeReturned: true });
    accepted(working, createJob);
    const alone = issueDirectCommand({ issueId: 'issue-1', playerId: 'ann', currency: 'EUR', betAmount, terms });
    const ofJob = commandOfItem(jobIn(working), 1, 0, ['ann', 'EUR', 'issue-1', null, null]);
    assert.equal(ofJob.contentHash, alone.contentHash);
  });
});
