import type { Pool } from 'pg';
import { type Lease, takeLease } from '../../background/runner.ts';
import { isDatabaseUnavailable, isLostRace } from '../../engine/faults.ts';
import { type BackgroundWork, pause, repeat } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import type { CommandOf, JobStepResult, Lanes } from '../batch/command.ts';
import { maxAttempts } from './end-rules.ts';
import { commandOfItem } from './items.ts';
import { isStoredItem, type Job, processedCount } from './job.ts';
import { measureRate, type Rate } from './rate.ts';
import { jobLeaseMs } from './sql/jobs.ts';
import {
  endOtherLeases,
  findFirstPart,
  findRemainingPart,
  holdsJob,
  type RemainingPart,
  releaseJobLease,
  renewJobLease,
  takeJob,
} from './sql/work.ts';
import { type StepSize, stepSizeOf } from './step-size.ts';

// Runs one job while holding its lease. The runner reads a part, turns its items into issue commands, and sends as many
// as fit through the partner's lane as one step. The step stores the job's progress and renews the lease in the same
// transaction; a step that is not the next one does nothing. So every item is processed exactly once, even if this
// process crashes or another server also claims the job.
//
// Taking a job counts an attempt in its row before any step, and progress resets the count. A worker that stops
// normally or because the database is unavailable subtracts its attempt. So only service faults and crashed processes
// raise the count. After `maxAttempts` the job fails.

export interface JobObserver {
  stepDone(step: JobStepResult): void;
  /** The job made no progress in too many attempts. */
  failed(clientId: number, jobId: string): void;
  fault(error: unknown): void;
}

export interface RunnerResources {
  pool: Pool;
  lanes: Lanes;
  /** Resolves when this server has read all earlier changes of offers and games; rejects if it can't read them. */
  followChanges(): Promise<void>;
  observer: JobObserver;
  /** The pause after a service fault before the job is taken again; 5 s if absent. */
  afterFaultMs?: number;
}

const leaseTimes = { lastsMs: jobLeaseMs, renewMs: jobLeaseMs / 4, doubtMs: jobLeaseMs / 2 };

/** The pause between attempts while the campaign is paused. */
const pausedRetryMs = 1000;

/** The lane did not run the command: the database is unavailable, or another transaction holds a row. */
class NotSubmitted extends Error {}

const isTransient = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || isLostRace(error) || error instanceof NotSubmitted;

type RunnableJob = Pick<Job, 'jobId' | 'campaignId' | 'shared' | 'attempts'>;

interface Run {
  clientId: number;
  job: RunnableJob;
  lease: Lease;
  rate: Rate;
  stepSize: StepSize;
  /** Whether a step is waiting in the lane. */
  waiting: { inLane: boolean };
  yieldsSlot(): boolean;
  signal: AbortSignal;
}

/**
 * Returns when the job is over, another worker has it, or the signal aborts. Also returns after a part if `yieldsSlot`
 * asks it to make room for a waiting job. Never throws.
 */
export async function runJob(
  resources: RunnerResources,
  clientId: number,
  jobId: string,
  holder: string,
  yieldsSlot: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { pool, followChanges, observer } = resources;
  let hasFailed = false;
  const row = {
    async take() {
      await ask(pool, endOtherLeases(clientId, jobId, holder));
      return ask(pool, takeJob(clientId, jobId, holder));
    },
    giveBack: () => ask(pool, releaseJobLease(clientId, jobId, holder, hasFailed)),
  };
  try {
    // The server that accepted the job may know an offer that this one has not read yet, and refusals are final.
    await followChanges();
    if (signal.aborted) return;
    const taken = await takeLease(row, holder, leaseTimes, () => {});
    if (taken === undefined) return;
    const { lease, terms: job } = taken;
    try {
      const bytesPerItem = job.shared === null ? 0 : Buffer.byteLength(JSON.stringify(job.shared));
      const stepSize = stepSizeOf(bytesPerItem, job.attempts > 2);
      const waiting = { inLane: false };
      const run = { clientId, job, lease, rate: measureRate(), stepSize, waiting, yieldsSlot, signal };
      const keeping = startLeaseRenewal(resources, run);
      await (job.attempts > maxAttempts ? failJob(resources, run) : runJobParts(resources, run)).finally(keeping.stop);
    } catch (error) {
      hasFailed = !isTransient(error);
      throw error;
    } finally {
      await lease.giveBack();
    }
  } catch (error) {
    // A lost race means that another worker has taken a job of this partner.
    if (isTransient(error)) return;
    observer.fault(error);
    await pause(resources.afterFaultMs ?? 5000, signal);
  }
}

async function runJobParts(resources: RunnerResources, run: Run): Promise<void> {
  const { clientId, job, lease, yieldsSlot, signal } = run;
  do {
    const left = await ask(resources.pool, findRemainingPart(clientId, job.jobId, lease.holder));
    if (left === undefined) {
      if (await ask(resources.pool, holdsJob(clientId, job.jobId, lease.holder)))
        throw new Error('the list of a job is short');
      return;
    }
    requireWellFormed(left);
    await runPart(resources, run, left);
  } while (lease.isHeld() && !signal.aborted && !yieldsSlot());
}

/** Without this check, a part without remaining items would be read in an endless loop. */
function requireWellFormed({ part, list, items, nextItem }: RemainingPart): void {
  if (!Array.isArray(list) || list.length !== items || nextItem >= items)
    throw new Error(`part ${part} of a job is malformed`);
}

async function failJob({ pool, lanes, observer }: RunnerResources, { clientId, job, lease }: Run): Promise<void> {
  const { jobId } = job;
  const part = await ask(pool, findFirstPart(clientId, jobId));
  const outcome = await lanes.submitLowPriority(clientId, () => ({
    kind: 'fail_job',
    jobId,
    holder: lease.holder,
    part,
  }));
  if (!outcome.ok)
    throw outcome.error === 'unavailable' ? new NotSubmitted() : new Error(`a job cannot fail: ${outcome.error}`);
  if (outcome.value.isFailed) observer.failed(clientId, jobId);
}

/**
 * Renews the lease while a step waits in the lane, which under overload can take longer than a lease lasts. Otherwise
 * another server would take the job, wait as long and lose it in the same way, and neither would finish a step.
 */
const startLeaseRenewal = (
  { pool, observer }: RunnerResources,
  { clientId, job, lease, waiting }: Run,
): BackgroundWork =>
  repeat(
    async () => {
      const isDue = waiting.inLane && lease.isHeld() && lease.renewalInMs() <= 0;
      if (isDue) await ask(pool, renewJobLease(clientId, job.jobId, lease.holder));
    },
    { pauseMs: leaseTimes.renewMs, onFault: observer.fault },
  );

async function runPart(resources: RunnerResources, run: Run, left: RemainingPart): Promise<void> {
  const { lanes, observer } = resources;
  const { clientId, lease, rate, stepSize, waiting, yieldsSlot, signal } = run;
  let { nextItem, processed } = left;
  const mayTryAgain = (error: unknown) => error instanceof NotSubmitted && !signal.aborted;
  while (nextItem < left.list.length && !signal.aborted) {
    let size = 0;
    let madeAt = 0;
    const makeStep = (room: number) => {
      size = Math.min(stepSize.within(room), left.list.length - nextItem);
      madeAt = performance.now();
      return stepOf(run, left, nextItem, processed, size);
    };
    const step = await lease.renew(async () => {
      size = 0;
      waiting.inLane = true;
      const outcome = await lanes.submitLowPriority(clientId, makeStep);
      waiting.inLane = false;
      if (outcome.ok) return outcome.value.hasRun ? outcome.value : undefined;
      if (outcome.error === 'unavailable') stepSize.failed(size);
      else if (size > 1) stepSize.oneByOne(size);
      else throw new Error(`a step of a job failed: ${outcome.error}`);
      throw new NotSubmitted();
    }, mayTryAgain);
    if (step === undefined) return;
    if (processedCount(step) === 0) {
      if (yieldsSlot()) return lease.lose();
      await pause(pausedRetryMs, signal);
      continue;
    }
    nextItem += size;
    processed += size;
    rate.add(size);
    stepSize.took(size, performance.now() - madeAt);
    observer.stepDone(step);
  }
}

function stepOf(
  { job, lease, rate }: Run,
  { part, list, bytes }: RemainingPart,
  fromItem: number,
  from: number,
  size: number,
): CommandOf<'run_job_step'> {
  const items = list.slice(fromItem, fromItem + size);
  return {
    kind: 'run_job_step',
    jobId: job.jobId,
    holder: lease.holder,
    from,
    part,
    fromItem,
    commands: items.map((item, i) => {
      if (!isStoredItem(item)) throw new Error(`item ${fromItem + i} of part ${part} of a job is malformed`);
      return commandOfItem(job, part, fromItem + i, item);
    }),
    isLastOfPart: fromItem + items.length === list.length,
    partBytes: bytes,
    perSecond: rate.perSecond(),
  };
}
