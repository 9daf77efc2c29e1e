import type { Pool } from 'pg';
import { type Lease, takeLease } from '../background/lease.ts';
import { pause } from '../background/repeat.ts';
import { isDatabaseUnavailable, isLostRace } from '../db/faults.ts';
import { ask } from '../db/statement.ts';
import type { CommandOf, JobStepAnswer } from '../domain/command.ts';
import { carriedOutOf, commandOfItem, type Job } from '../domain/job.ts';
import type { Lanes } from '../lanes/lanes.ts';
import { endOtherLeases, findPartLeft, giveJobBack, type PartLeft, takeJob } from '../sql/job-work.ts';
import { jobLeaseMs } from '../sql/jobs.ts';
import { measureRate, type Rate } from './rate.ts';
import { type StepSize, stepSizeOf } from './step-size.ts';

// Carries out one job, as long as it holds its lease: a part is read, its items become commands of issue, and as many of them
// as there is room for go through the lane of the partner as one step. The step itself writes down how far the job has come,
// in the same transaction, and renews the lease; a step that is not the next one does nothing. So whatever becomes of this
// process, and whoever else believes to have the job, every item is carried out once.

export interface JobObserver {
  carriedOut(step: JobStepAnswer): void;
  fault(error: unknown): void;
}

export interface RunnerResources {
  pool: Pool;
  lanes: Lanes;
  /** Resolves when this server knows of every change of offers and games that was made before; fails where it cannot ask. */
  followChanges(): Promise<void>;
  observer: JobObserver;
}

const leaseTimes = { lastsMs: jobLeaseMs, renewMs: jobLeaseMs / 4, doubtMs: jobLeaseMs / 2 };

/** A step that failed by a fault of ours is tried again, but not all the time. */
const afterFaultMs = 5000;

/** While the campaign is paused. */
const restMs = 1000;

/** The lane did not take it: the database is unavailable, or somebody else holds a row. */
class NotTaken extends Error {}

type JobToCarryOut = Pick<Job, 'jobId' | 'campaignId' | 'shared'>;

interface Run {
  clientId: number;
  job: JobToCarryOut;
  lease: Lease;
  rate: Rate;
  stepSize: StepSize;
  givesWay(): boolean;
  signal: AbortSignal;
}

/**
 * Ends when the job is over, is another's, or the signal is given, and after a part when it gives way to others that wait; never
 * throws.
 */
export async function runJob(
  resources: RunnerResources,
  clientId: number,
  jobId: string,
  holder: string,
  givesWay: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { pool, followChanges, observer } = resources;
  const row = {
    async take() {
      await ask(pool, endOtherLeases(clientId, jobId, holder));
      return ask(pool, takeJob(clientId, jobId, holder));
    },
    giveBack: () => ask(pool, giveJobBack(clientId, jobId, holder)),
  };
  try {
    // Another server accepted it, perhaps by an offer that this one has not heard of yet, and what is refused is refused for good.
    await followChanges();
    if (signal.aborted) return;
    const taken = await takeLease(row, holder, leaseTimes, () => {});
    if (taken === undefined) return;
    const { lease, terms: job } = taken;
    try {
      const stepSize = stepSizeOf(job.shared === null ? 0 : Buffer.byteLength(JSON.stringify(job.shared)));
      await carryOut(resources, { clientId, job, lease, rate: measureRate(), stepSize, givesWay, signal });
    } finally {
      await lease.giveBack();
    }
  } catch (error) {
    // A lost race: another has a job of this partner by now.
    if (isDatabaseUnavailable(error) || isLostRace(error) || error instanceof NotTaken) return;
    observer.fault(error);
    await pause(afterFaultMs, signal);
  }
}

async function carryOut(resources: RunnerResources, run: Run): Promise<void> {
  const { clientId, job, lease, givesWay, signal } = run;
  do {
    const left = await ask(resources.pool, findPartLeft(clientId, job.jobId, lease.holder));
    if (left === undefined) return;
    await carryOutPart(resources, run, left);
  } while (lease.isHeld() && !signal.aborted && !givesWay());
}

async function carryOutPart({ lanes, observer }: RunnerResources, run: Run, left: PartLeft): Promise<void> {
  const { clientId, lease, rate, stepSize, givesWay, signal } = run;
  let { nextItem, carriedOut } = left;
  const mayTryAgain = (error: unknown) => error instanceof NotTaken && !signal.aborted;
  while (nextItem < left.list.length && !signal.aborted) {
    let size = 0;
    let madeAt = 0;
    const makeStep = (room: number) => {
      const step = stepOf(run, left, nextItem, carriedOut, stepSize.within(room));
      size = step.commands.length;
      madeAt = performance.now();
      return step;
    };
    const step = await lease.renew(async () => {
      size = 0;
      const outcome = await lanes.submitPatiently(clientId, makeStep);
      if (outcome.ok) return outcome.value.isCarriedOut ? outcome.value : undefined;
      if (outcome.error !== 'unavailable') throw new Error(`a step of a job failed: ${outcome.error}`);
      if (size > 0) stepSize.failed(size);
      throw new NotTaken();
    }, mayTryAgain);
    if (step === undefined) return;
    if (carriedOutOf(step) === 0) {
      if (givesWay()) return lease.lose();
      await pause(restMs, signal);
      continue;
    }
    nextItem += size;
    carriedOut += size;
    rate.add(size);
    stepSize.took(size, performance.now() - madeAt);
    observer.carriedOut(step);
  }
}

function stepOf(
  { job, lease, rate }: Run,
  { part, list }: PartLeft,
  fromItem: number,
  from: number,
  size: number,
): CommandOf<'carry_out_job_step'> {
  const items = list.slice(fromItem, fromItem + size);
  return {
    kind: 'carry_out_job_step',
    jobId: job.jobId,
    holder: lease.holder,
    from,
    part,
    fromItem,
    commands: items.map((item, i) => commandOfItem(job, part, fromItem + i, item)),
    isLastOfPart: fromItem + items.length === list.length,
    perSecond: rate.perSecond(),
  };
}
