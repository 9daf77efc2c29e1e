import { done, refuse } from '../../primitives/outcome.ts';
import type { CommandResults, FailJob, GiveUpJob, RetryJob, StopJob } from '../batch/command.ts';
import type { Rule } from '../batch/needs.ts';
import { changeJob, emitJobEvent, type WorkingSet } from '../batch/working-set.ts';
import { type Job, jobBody, jobStatus } from './job.ts';

// How a job ends before its last item: it is stopped, or it fails. A failed job can be retried or stopped.

/** A job fails after this many attempts without progress. */
export const maxAttempts = 10;

const day = 24 * 3600 * 1000;

/** How long a failed job can be retried; then it is stopped, and its parts are removed. */
export const failedKeptDays = 30;

export const stopJob: Rule<StopJob, CommandResults['stop_job']> = {
  needs: ({ jobId }) => ({ jobId }),
  decide(working, { jobId }, now) {
    const job = working.jobs.get(jobId);
    if (job === undefined) return refuse('job_not_found');
    if (job.stoppedAt === null && (job.finishedAt === null || job.failure !== null)) stop(working, job, now);
    return done({});
  },
};

export const giveUpJob: Rule<GiveUpJob, CommandResults['give_up_job']> = {
  needs: ({ jobId }) => ({ jobId }),
  decide(working, { jobId }, now) {
    const job = working.jobs.get(jobId);
    const isOld = job?.finishedAt != null && job.finishedAt <= now - failedKeptDays * day;
    if (job && isOld && jobStatus(job, now) === 'failed') stop(working, job, now);
    return done({});
  },
};

function stop(working: WorkingSet, job: Job, now: number): void {
  job.stoppedAt = now;
  job.leaseHolder = null;
  changeJob(working, job);
  emitJobEvent(working, 'job.stopped', job);
}

export const failJob: Rule<FailJob, CommandResults['fail_job']> = {
  needs: ({ jobId }) => ({ jobId }),
  decide(working, { jobId, holder, part }, now) {
    const job = working.jobs.get(jobId);
    if (job === undefined || jobStatus(job, now) !== 'running') return done({ isFailed: false });
    if (job.leaseHolder !== holder || job.attempts <= maxAttempts) return done({ isFailed: false });
    job.failure = { reason: part === null ? listIsShort : itemFails, part, item: job.nextItem };
    job.finishedAt = now;
    job.leaseHolder = null;
    job.perSecond = null;
    changeJob(working, job);
    emitJobEvent(working, 'job.failed', job);
    return done({ isFailed: true });
  },
};

const itemFails = `The service could not process this item in ${maxAttempts} attempts. Everything before it was processed.`;
const listIsShort = 'The service no longer has the rest of the list. Everything before it was processed.';

export const retryJob: Rule<RetryJob, CommandResults['retry_job']> = {
  needs: ({ jobId }) => ({ jobId }),
  decide(working, { jobId }, now) {
    const job = working.jobs.get(jobId);
    if (job === undefined) return refuse('job_not_found');
    if (jobStatus(job, now) === 'failed') {
      job.failure = null;
      job.finishedAt = null;
      job.attempts = 0;
      changeJob(working, job);
    }
    return done(jobBody(job, now));
  },
};
