import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CommandOf, issueByCampaignCommand } from '../../../../packages/server/src/promo/batch/command.ts';
import { decide } from '../../../../packages/server/src/promo/batch/decide.ts';
import type { WorkingSet } from '../../../../packages/server/src/promo/batch/working-set.ts';
import { derivedIssueId } from '../../../../packages/server/src/promo/jobs/items.ts';
import type { Job } from '../../../../packages/server/src/promo/jobs/job.ts';
import {
  accepted,
  create,
  given,
  minute,
  pause,
  refused,
  reloaded,
  resume,
  start,
  stop,
} from '../batch/working-sets.ts';

type Step = CommandOf<'run_job_step'>;

const quota = { jobs: 2, bytes: 10 };

const createJob = (changes: Partial<CommandOf<'create_job'>> = {}): CommandOf<'create_job'> => ({
  kind: 'create_job',
  quota,
  jobId: 'job-1',
  name: 'A job',
  campaignId: 'spring',
  shared: null,
  startAt: null,
  contentHash: 'a',
  ...changes,
});

const addPart = (part: number, items: number, contentHash = 'p'): CommandOf<'add_job_part'> => ({
  kind: 'add_job_part',
  quota,
  jobId: 'job-1',
  part,
  items,
  list: '[]',
  directJobFields: [],
  contentHash,
});

const startJob = (parts: number, items: number): CommandOf<'start_job'> => ({
  kind: 'start_job',
  jobId: 'job-1',
  parts,
  items,
});
const stopJob = { kind: 'stop_job', jobId: 'job-1' } as const;

const item = (player: string, currency = 'EUR') =>
  issueByCampaignCommand({ issueId: `of-${player}`, campaignId: 'spring', playerId: player, currency });

const step = (from: number, players: string[], changes: Partial<Step> = {}): Step => ({
  kind: 'run_job_step',
  jobId: 'job-1',
  holder: 'worker',
  from,
  part: 1,
  fromItem: from,
  commands: players.map((player) => item(player)),
  isLastOfPart: false,
  partBytes: 2,
  perSecond: null,
  ...changes,
});

const jobIn = (working: WorkingSet): Job => {
  const job = working.jobs.get('job-1');
  assert.ok(job);
  return job;
};

const typesOf = (working: WorkingSet) => [...working.changes.emitted].map(({ type }) => type);

/** A started job by campaign with these limits and items, leased by a worker. */
function running(items: number, limits: Parameters<typeof create>[0] = {}, jobChanges = {}): WorkingSet {
  const working = given(create(limits), createJob(jobChanges), addPart(1, items), startJob(1, items));
  jobIn(working).leaseHolder = 'worker';
  return working;
}

const carryOut = (working: WorkingSet, command: Step, now = start) => {
  const outcome = decide(working, command, now);
  assert.ok(outcome.ok);
  return outcome.value;
};

describe('a step of a job', () => {
  it('issues each of its items, and says how far the job has come', () => {
    const working = running(3);
    assert.deepEqual(carryOut(working, step(0, ['ann', 'bob'], { perSecond: 7 })), {
      hasRun: true,
      issued: 2,
      refused: {},
    });
    assert.deepEqual([...working.freeBets.keys()], ['of-ann', 'of-bob']);
    const { issued, nextItem, perSecond, finishedAt } = jobIn(working);
    assert.deepEqual(
      { issued, nextItem, perSecond, finishedAt },
      { issued: 2, nextItem: 2, perSecond: 7, finishedAt: null },
    );
    assert.equal(working.changes.removedJobParts.size, 0);
    assert.deepEqual(typesOf(working), ['freebet.issued', 'freebet.issued']);
  });

  it('is carried out once, however often it is tried', () => {
    const working = running(4);
    carryOut(working, step(0, ['ann', 'bob']));
    const next = reloaded(working);
    for (const again of [step(0, ['ann', 'bob']), step(1, ['bob', 'cid']), step(3, ['dan'])]) {
      assert.equal(carryOut(next, again).hasRun, false);
    }
    assert.deepEqual(next, reloaded(working), 'nothing has changed');
  });

  it('is the worker’s that has the job, and no other’s', () => {
    const working = running(1);
    assert.equal(carryOut(working, step(0, ['ann'], { holder: 'other' })).hasRun, false);
    jobIn(working).leaseHolder = null;
    assert.equal(carryOut(working, step(0, ['ann'])).hasRun, false);
    assert.equal(working.freeBets.size, 0);
  });

  it('is not carried out before the time of the job, nor after its stop, nor without it', () => {
    const later = running(1, {}, { startAt: start + minute });
    assert.equal(carryOut(later, step(0, ['ann']), start + minute - 1).hasRun, false);
    assert.equal(carryOut(later, step(0, ['ann']), start + minute).hasRun, true);
    const stopped = running(1);
    accepted(stopped, stopJob);
    assert.equal(carryOut(stopped, step(0, ['ann'])).hasRun, false);
    assert.equal(carryOut(given(create()), step(0, ['ann'])).hasRun, false);
  });

  it('counts refused items by error, and stores them with their position', () => {
    const working = running(4, { bonusLimit: 1 });
    const commands = [item('ann'), item('bob'), item('cid', 'GBP'), item('dan')];
    const answer = carryOut(working, step(0, [], { commands, isLastOfPart: true }));
    assert.deepEqual(answer, {
      hasRun: true,
      issued: 1,
      refused: { bonus_limit_reached: 2, currency_not_allowed: 1 },
    });
    const [refusals] = [...working.changes.jobRefusals];
    assert.deepEqual([refusals?.jobId, refusals?.carriedOut], ['job-1', 0]);
    assert.deepEqual(
      refusals?.list.map(([part, place, player, issueId, error, details]) => [
        part,
        place,
        player,
        issueId,
        error,
        details?.length,
      ]),
      [
        [1, 1, 'bob', 'of-bob', 'bonus_limit_reached', undefined],
        [1, 2, 'cid', 'of-cid', 'currency_not_allowed', 1],
        [1, 3, 'dan', 'of-dan', 'bonus_limit_reached', undefined],
      ],
    );
    assert.equal(jobIn(working).finishedAt, start);
  });

  it('removes a part after its last item, and finishes the job with one event after the last part', () => {
    const working = given(create(), createJob(), addPart(1, 1), addPart(2, 1), startJob(2, 2));
    jobIn(working).leaseHolder = 'worker';
    carryOut(working, step(0, ['ann'], { isLastOfPart: true }));
    assert.deepEqual([...working.changes.removedJobParts], [{ jobId: 'job-1', part: 1 }]);
    assert.deepEqual([jobIn(working).nextItem, jobIn(working).finishedAt], [0, null]);
    carryOut(working, step(1, ['bob'], { part: 2, fromItem: 0, isLastOfPart: true }), start + 5);
    assert.deepEqual([jobIn(working).finishedAt, jobIn(working).leaseHolder], [start + 5, null]);
    assert.deepEqual(typesOf(working), ['freebet.issued', 'freebet.issued', 'job.finished']);
    accepted(working, stopJob);
    assert.equal(jobIn(working).stoppedAt, null, 'a finished job stays finished');
    assert.equal(typesOf(working).length, 3);
  });

  it('obeys a campaign that was stopped before it in the same batch', () => {
    const working = running(2);
    accepted(working, stop());
    assert.deepEqual(carryOut(working, step(0, ['ann', 'bob'])).refused, { campaign_stopped: 2 });
  });
});

describe('a step of a job whose campaign is paused', () => {
  it('touches no item, renews the lease, and is carried out when the campaign goes on', () => {
    const working = running(2);
    accepted(working, pause());
    const nothing = { hasRun: true, issued: 0, refused: {} };
    const paused = reloaded(working);
    assert.deepEqual(carryOut(paused, step(0, ['ann', 'bob'], { isLastOfPart: true, perSecond: 7 })), nothing);
    assert.equal(paused.freeBets.size, 0);
    assert.deepEqual([...paused.changes.jobs], [jobIn(paused)]);
    assert.deepEqual([jobIn(paused).nextItem, jobIn(paused).perSecond, jobIn(paused).finishedAt], [0, null, null]);
    assert.equal(carryOut(paused, step(0, ['ann'], { holder: 'other' })).hasRun, false);
    accepted(paused, resume());
    assert.equal(carryOut(paused, step(0, ['ann', 'bob'], { isLastOfPart: true })).issued, 2);
  });

  it('is refused like any other when the campaign is stopped or ends meanwhile', () => {
    const ended = running(1);
    accepted(ended, pause());
    assert.deepEqual(carryOut(ended, step(0, ['ann']), start + 60 * minute).refused, { campaign_ended: 1 });
    const stopped = running(1);
    accepted(stopped, pause());
    accepted(stopped, stop());
    assert.deepEqual(carryOut(stopped, step(0, ['ann'])).refused, { campaign_stopped: 1 });
  });
});

describe('a job of a campaign', () => {
  const end = start + 60 * minute;

  it('that would begin when the campaign has ended is refused for its time to start', () => {
    const working = given(create());
    refused('invalid_validity', working, createJob({ startAt: end }), start, ['start_at']);
    refused('invalid_validity', working, createJob({ startAt: end + 1 }), end - 1, ['start_at']);
    accepted(working, createJob({ startAt: end - 1 }));
  });

  it('is refused for the campaign where that is over, whenever the job would start', () => {
    const working = given(create());
    for (const startAt of [null, start, end + 1]) refused('campaign_ended', working, createJob({ startAt }), end);
    const stopped = given(create(), stop());
    refused('campaign_stopped', stopped, createJob({ startAt: end }));
  });
});

describe('the parts of a job', () => {
  it('are taken until it is started, each once', () => {
    const working = given(create(), createJob());
    accepted(working, addPart(1, 3));
    accepted(working, addPart(1, 3));
    refused('id_reused', working, addPart(1, 3, 'other'));
    assert.deepEqual([jobIn(working).parts, jobIn(working).items], [1, 3]);
    refused('job_incomplete', working, startJob(2, 3), start, ['parts', 'items', 'parts']);
    accepted(working, startJob(1, 3));
    refused('job_started', working, addPart(2, 1));
  });

  it('are not known of a job that is not there', () => {
    const working = given(create());
    refused('job_not_found', working, addPart(1, 1));
    refused('job_not_found', working, startJob(1, 1));
    refused('job_not_found', working, stopJob);
    refused('campaign_not_found', working, createJob({ campaignId: 'none' }));
  });
});

describe('the id of a free bet that came without one', () => {
  it('is always the same for the same place, and another for every other', () => {
    const id = derivedIssueId('3b1f8a52-6f0e-4a53-9a53-0c1f5f6d7e11', 1, 0);
    assert.equal(id, derivedIssueId('3b1f8a52-6f0e-4a53-9a53-0c1f5f6d7e11', 1, 0));
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ids = new Set<string>();
    for (let part = 1; part <= 20; part++) for (let i = 0; i < 200; i++) ids.add(derivedIssueId('job', part, i));
    assert.equal(ids.size, 4000);
    // Free bets that were issued under it are found by it: sha256sum of job/1/0, with version and variant.
    assert.equal(derivedIssueId('job', 1, 0), '789897b1-0eb6-80c1-a933-3ae1cbf30074');
  });
});

describe('the quota of unfinished jobs', () => {
  it('refuses a job above the quota, with the quota, its limit and its use', () => {
    const working = given(create(), createJob());
    working.jobQuota = { jobs: 2, bytes: 0 };
    const other = createJob({ jobId: 'job-2' });
    assert.deepEqual(decide(working, other, start), {
      ok: false,
      error: 'job_quota_reached',
      details: [{ field: 'jobs', reason: 'the limit is 2, your unfinished jobs use 2' }],
    });
    assert.equal(accepted(working, createJob()).job_id, 'job-1', 'a repeated request is not refused');
    working.jobQuota.jobs = 1;
    accepted(working, other);
    refused('job_quota_reached', working, createJob({ jobId: 'job-3' }), start, ['jobs']);
  });

  it('refuses a part beyond it, and has room again when a part is carried out', () => {
    const working = given(create(), createJob(), addPart(1, 1), addPart(2, 1));
    working.jobQuota = { jobs: 1, bytes: 9 };
    const outcome = decide(working, addPart(3, 1), start);
    const reason = 'the limit is 10, your unfinished jobs use 9, and this part takes 2';
    assert.deepEqual(outcome, { ok: false, error: 'job_quota_reached', details: [{ field: 'bytes', reason }] });
    accepted(working, addPart(2, 1));
    working.jobQuota.bytes = 8;
    accepted(working, addPart(3, 1));
    assert.deepEqual([jobIn(working).bytes, working.jobQuota.bytes], [6, 10]);
    accepted(working, startJob(3, 3));
    jobIn(working).leaseHolder = 'worker';
    accepted(working, step(0, ['ann'], { isLastOfPart: true }));
    assert.equal(jobIn(working).bytes, 4);
    accepted(working, step(1, ['bob'], { isLastOfPart: true, partBytes: 5 }));
    assert.equal(jobIn(working).bytes, 0, 'never below zero');
  });
});
