import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CommandOf, issueByCampaignCommand } from '../../../../packages/server/src/promo/batch/command.ts';
import { decide } from '../../../../packages/server/src/promo/batch/decide.ts';
import type { WorkingSet } from '../../../../packages/server/src/promo/batch/working-set.ts';
import { type Job, jobBody, jobStatus } from '../../../../packages/server/src/promo/jobs/job.ts';
import { accepted, create, given, minute, pause, refused, reloaded, start } from '../batch/working-sets.ts';

const jobId = 'job-1';
const quota = { jobs: 10, bytes: 1000 };
const retryJob = { kind: 'retry_job', jobId } as const;
const stopJob = { kind: 'stop_job', jobId } as const;
const giveUpJob = { kind: 'give_up_job', jobId } as const;
const failJob = (part: number | null = 1, holder = 'worker') => ({ kind: 'fail_job', jobId, holder, part }) as const;
const startJob = { kind: 'start_job', jobId, parts: 1, items: 3 } as const;
const day = 24 * 60 * minute;

const step = (from: number, players: string[]): CommandOf<'run_job_step'> => ({
  kind: 'run_job_step',
  jobId,
  holder: 'worker',
  from,
  part: 1,
  fromItem: from,
  commands: players.map((playerId) =>
    issueByCampaignCommand({ issueId: `of-${playerId}`, campaignId: 'spring', playerId, currency: 'EUR' }),
  ),
  isLastOfPart: from + players.length === 3,
  partBytes: 2,
  perSecond: null,
});

const jobIn = (working: WorkingSet): Job => {
  const job = working.jobs.get(jobId);
  assert.ok(job);
  return job;
};

const typesOf = (working: WorkingSet) => [...working.changes.emitted].map(({ type }) => type);

/** A job of three items with one issued, taken this many times since by a worker that still has it. */
function taken(attempts: number): WorkingSet {
  const working = given(
    create(),
    {
      kind: 'create_job',
      jobId,
      quota,
      name: 'A job',
      campaignId: 'spring',
      shared: null,
      startAt: null,
      contentHash: 'a',
    },
    { kind: 'add_job_part', jobId, quota, part: 1, items: 3, list: '[]', directJobFields: [], contentHash: 'p' },
    startJob,
  );
  jobIn(working).leaseHolder = 'worker';
  accepted(working, step(0, ['ann']));
  jobIn(working).attempts = attempts;
  return reloaded(working);
}

function failed(): WorkingSet {
  const working = taken(11);
  accepted(working, failJob());
  return reloaded(working);
}

describe('a job that makes no progress', () => {
  it('fails after ten attempts, has the position of the item, and emits an event', () => {
    const working = taken(11);
    assert.deepEqual(decide(working, failJob(), start + minute), { ok: true, value: { isFailed: true } });
    const job = jobIn(working);
    const { status, issued, remaining, failure, finished_at } = jobBody(job, start + minute);
    assert.deepEqual([status, issued, remaining, finished_at], ['failed', 1, 2, null]);
    assert.deepEqual([failure?.part, failure?.item, Date.parse(failure?.failed_at ?? '')], [1, 1, start + minute]);
    assert.equal(job.leaseHolder, null);
    assert.deepEqual(typesOf(working), ['job.failed']);
  });

  it('does not fail earlier, nor for a worker without its lease, nor after it is over', () => {
    const unchanged = (working: WorkingSet, command = failJob()) => {
      assert.deepEqual(decide(working, command, start), { ok: true, value: { isFailed: false } });
      assert.deepEqual(typesOf(working), []);
    };
    unchanged(taken(10));
    unchanged(taken(11), failJob(1, 'other'));
    unchanged(failed());
    const stopped = taken(11);
    accepted(stopped, stopJob);
    unchanged(reloaded(stopped));
    unchanged(given(create()));
  });

  it('resets the count after progress, and after a step that waits for its campaign', () => {
    const working = taken(9);
    accepted(working, step(1, ['bob']));
    assert.equal(jobIn(working).attempts, 1);
    const paused = taken(9);
    accepted(paused, pause());
    accepted(paused, step(1, ['bob']));
    assert.equal(jobIn(paused).attempts, 1);
  });

  it('has the reason that its list is short if no part is left', () => {
    const working = taken(11);
    accepted(working, failJob(null));
    const { failure } = jobBody(jobIn(working), start);
    assert.equal(failure?.part, null);
    assert.match(failure?.reason ?? '', /rest of the list/);
  });
});

describe('a failed job', () => {
  it('is returned unchanged by another start, and accepts neither parts nor steps', () => {
    const working = failed();
    assert.equal(accepted(working, startJob).status, 'failed');
    const part = {
      kind: 'add_job_part',
      jobId,
      quota,
      part: 2,
      items: 1,
      list: '[]',
      directJobFields: [],
      contentHash: 'q',
    } as const;
    refused('job_started', working, part);
    jobIn(working).leaseHolder = 'worker';
    assert.equal(accepted(working, step(1, ['bob'])).hasRun, false);
    jobIn(working).leaseHolder = null;
    assert.deepEqual(jobIn(working), jobIn(failed()));
  });

  it('continues at its next item after a retry, once, and finishes with every item counted', () => {
    const working = failed();
    const body = accepted(working, retryJob);
    assert.deepEqual([body.status, body.issued, body.remaining, body.failure], ['running', 1, 2, null]);
    assert.equal(jobIn(working).attempts, 0);
    assert.deepEqual(typesOf(working), []);
    const again = reloaded(working);
    jobIn(again).leaseHolder = 'worker';
    assert.equal(accepted(again, retryJob).status, 'running');
    assert.deepEqual([jobIn(again).leaseHolder, again.changes.jobs.size], ['worker', 0]);
    accepted(again, step(1, ['bob', 'cid']));
    assert.deepEqual([jobStatus(jobIn(again), start), jobIn(again).issued], ['finished', 3]);
    assert.equal(accepted(again, retryJob).status, 'finished');
  });

  it('can be stopped, and can not be retried after that', () => {
    const working = failed();
    accepted(working, stopJob);
    assert.deepEqual(typesOf(working), ['job.stopped']);
    const body = accepted(reloaded(working), retryJob);
    assert.deepEqual([body.status, body.remaining, body.failure?.item], ['stopped', 2, 1]);
  });

  it('is stopped after thirty days, and no other job is', () => {
    const working = failed();
    decide(working, giveUpJob, start + 30 * day - 1);
    assert.equal(jobStatus(jobIn(working), start), 'failed');
    decide(working, giveUpJob, start + 30 * day);
    assert.deepEqual([jobStatus(jobIn(working), start), typesOf(working)], ['stopped', ['job.stopped']]);
    const running = failed();
    accepted(running, retryJob);
    decide(running, giveUpJob, start + 30 * day);
    assert.equal(jobIn(running).stoppedAt, null);
    const finished = taken(1);
    accepted(finished, step(1, ['bob', 'cid']));
    decide(finished, giveUpJob, start + 40 * day);
    assert.equal(jobIn(finished).stoppedAt, null);
  });

  it('is not found if it does not exist', () => {
    refused('job_not_found', given(create()), retryJob);
  });
});
