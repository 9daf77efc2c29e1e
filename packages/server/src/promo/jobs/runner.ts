import type { Pool } from 'pg';
import { type Lease, takeLease } from '../../background/runner.ts';
import { isDatabaseUnavailable, isLostRace } from '../../engine/faults.ts';
import { type BackgroundWork, pause, repeat } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import type { CommandOf, JobStepAnswer, Lanes } from '../batch/command.ts';
import { maxAttempts } from './end-rules.ts';
import { commandOfItem } from './items.ts';
import { carriedOutOf, isKeptItem, type Job } from './job.ts';
import { measureRate, type Rate } from './rate.ts';
import { jobLeaseMs } from './sql/jobs.ts';
import {
  endOtherLeases,
  findFirstPart,
  findPartLeft,
  giveJobBack,
  holdsJob,
  keepJobLease,
  type PartLeft,
  takeJob,
} from './sql/work.ts';
import { type StepSize, stepSizeOf } from './step-size.ts';

// Carries out one job, as long as it holds its lease: a part is read, its items become commands of issue, and as many of them
// as there is room for go through the lane of the partner as one step. The step itself writes down how far the job has come,
// in the same transaction, and renews the lease; a step that is not the next one does nothing. So whatever becomes of this
// process, and whoever else believes to have the job, every item is carried out once.
//
// Taking a job counts an attempt in its row, before any step is tried, and progress resets the count. A worker that stops in
// order, or because the database is unavailable, takes its attempt back. So only faults of the service and processes that end
// without giving the job back raise the count. Beyond `maxAttempts` the job fails instead of being carried out.

export interface JobObserver {
  carriedOut(step: JobStepAnswer): void;
  /** The job made no progress in too many attempts. */
  failed(clientId: number, jobId: string): void;
  fault(error: unknown): void;
}

export interface RunnerResources {
  pool: Pool;
  lanes: Lanes;
  /** Resolves when this server knows of every change of offers and games that was made before; fails where it cannot ask. */
  followChanges(): Promise<void>;
  observer: JobObserver;
  /** How long to wait after a fault of the service before the job is taken again; 5 s when absent. */
  afterFaultMs?: number;
}

const leaseTimes = { lastsMs: jobLeaseMs, renewMs: jobLeaseMs / 4, doubtMs: jobLeaseMs / 2 };

/** While the campaign is paused. */
const restMs = 1000;

/** The lane did not take it: the database is unavailable, or somebody else holds a row. */
class NotTaken extends Error {}

const isTransient = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || isLostRace(error) || error instanceof NotTaken;

type JobToCarryOut = Pick<Job, 'jobId' | 'campaignId' | 'shared' | 'attempts'>;

interface Run {
  clientId: number;
  job: JobToCarryOut;
  lease: Lease;
  rate: Rate;
  stepSize: StepSize;
  /** Whether a step is in the lane now. */
  waits: { forLane: boolean };
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
  let hasFailed = false;
  const row = {
    async take() {
      await ask(pool, endOtherLeases(clientId, jobId, holder));
      return ask(pool, takeJob(clientId, jobId, holder));
    },
    giveBack: () => ask(pool, giveJobBack(clientId, jobId, holder, hasFailed)),
  };
  try {
    // Another server accepted it, perhaps by an offer that this one has not heard of yet, and what is refused is refused for good.
    await followChanges();
    if (signal.aborted) return;
    const taken = await takeLease(row, holder, leaseTimes, () => {});
    if (taken === undefined) return;
    const { lease, terms: job } = taken;
    try {
      const bytesPerItem = job.shared === null ? 0 : Buffer.byteLength(JSON.stringify(job.shared));
      const stepSize = stepSizeOf(bytesPerItem, job.attempts > 2);
      const waits = { forLane: false };
      const run = { clientId, job, lease, rate: measureRate(), stepSize, waits, givesWay, signal };
      const keeping = keepLease(resources, run);
      await (job.attempts > maxAttempts ? fail(resources, run) : carryOut(resources, run)).finally(keeping.stop);
    } catch (error) {
      hasFailed = !isTransient(error);
      throw error;
    } finally {
      await lease.giveBack();
    }
  } catch (error) {
    // A lost race: another has a job of this partner by now.
    if (isTransient(error)) return;
    observer.fault(error);
    await pause(resources.afterFaultMs ?? 5000, signal);
  }
}

async function carryOut(resources: RunnerResources, run: Run): Promise<void> {
  const { clientId, job, lease, givesWay, signal } = run;
  do {
    const left = await ask(resources.pool, findPartLeft(clientId, job.jobId, lease.holder));
    if (left === undefined) {
      if (await ask(resources.pool, holdsJob(clientId, job.jobId, lease.holder)))
        throw new Error('the list of a job is short');
      return;
    }
    requireWhole(left);
    await carryOutPart(resources, run, left);
  } while (lease.isHeld() && !signal.aborted && !givesWay());
}

/** Otherwise a part without items left would be read again and again. */
function requireWhole({ part, list, items, nextItem }: PartLeft): void {
  if (!Array.isArray(list) || list.length !== items || nextItem >= items)
    throw new Error(`part ${part} of a job is malformed`);
}

async function fail({ pool, lanes, observer }: RunnerResources, { clientId, job, lease }: Run): Promise<void> {
  const { jobId } = job;
  const part = await ask(pool, findFirstPart(clientId, jobId));
  const outcome = await lanes.submitPatiently(clientId, () => ({
    kind: 'fail_job',
    jobId,
    holder: lease.holder,
    part,
  }));
  if (!outcome.ok)
    throw outcome.error === 'unavailable' ? new NotTaken() : new Error(`a job cannot fail: ${outcome.error}`);
  if (outcome.value.isFailed) observer.failed(clientId, jobId);
}

/**
 * Under overload a step may wait for its turn in the lane longer than a lease lasts. Without this, another server would take the
 * job meanwhile, wait as long, and lose it in the same way: neither would carry out a step.
 */
const keepLease = ({ pool, observer }: RunnerResources, { clientId, job, lease, waits }: Run): BackgroundWork =>
  repeat(
    async () => {
      const isDue = waits.forLane && lease.isHeld() && lease.renewalInMs() <= 0;
      if (isDue) await ask(pool, keepJobLease(clientId, job.jobId, lease.holder));
    },
    { pauseMs: leaseTimes.renewMs, onFault: observer.fault },
  );

async function carryOutPart(resources: RunnerResources, run: Run, left: PartLeft): Promise<void> {
  const { lanes, observer } = resources;
  const { clientId, lease, rate, stepSize, waits, givesWay, signal } = run;
  let { nextItem, carriedOut } = left;
  const mayTryAgain = (error: unknown) => error instanceof NotTaken && !signal.aborted;
  while (nextItem < left.list.length && !signal.aborted) {
    let size = 0;
    let madeAt = 0;
    const makeStep = (room: number) => {
      size = Math.min(stepSize.within(room), left.list.length - nextItem);
      madeAt = performance.now();
      return stepOf(run, left, nextItem, carriedOut, size);
    };
    const step = await lease.renew(async () => {
      size = 0;
      waits.forLane = true;
      const outcome = await lanes.submitPatiently(clientId, makeStep);
      waits.forLane = false;
      if (outcome.ok) return outcome.value.isCarriedOut ? outcome.value : undefined;
      if (outcome.error === 'unavailable') stepSize.failed(size);
      else if (size > 1) stepSize.oneByOne(size);
      else throw new Error(`a step of a job failed: ${outcome.error}`);
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
  { part, list, bytes }: PartLeft,
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
    commands: items.map((item, i) => {
      if (!isKeptItem(item)) throw new Error(`item ${fromItem + i} of part ${part} of a job is malformed`);
      return commandOfItem(job, part, fromItem + i, item);
    }),
    isLastOfPart: fromItem + items.length === list.length,
    partBytes: bytes,
    perSecond: rate.perSecond(),
  };
}
