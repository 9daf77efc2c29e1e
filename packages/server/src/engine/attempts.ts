import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type Outcome, refuse } from '../primitives/outcome.ts';
import { type NodePools, poolFor } from './connection.ts';
import { isDatabaseUnavailable, isLockTimeout, isLostRace, partnerIn } from './faults.ts';
import { type TracedBatch, tracing } from './tracing.ts';

// Runs a transaction and retries it when it fails. A shared transaction is split until it no longer has the partner that
// makes it fail. A transaction of one partner is retried, and then split by command, so that one bad command fails
// alone. Every command gets exactly one outcome.

/** The commands of one partner in a batch. */
export interface Share<Command = unknown> {
  clientId: number;
  commands: readonly Command[];
}

/** The result of one share. */
export interface ShareResult {
  /** In the order of the commands. */
  outcomes: Outcome[];
  isChanged: boolean;
}

export interface BatchTimes {
  loadMs: number;
  commitMs: number;
}

/** The engine forms batches, retries them and delivers the outcomes. The runner decides what a batch does. */
export interface BatchRunner<Command = unknown, Result extends ShareResult = ShareResult> {
  /**
   * Runs a whole transaction. The shares are sorted by partner id. Each share has one result, which is undefined if the
   * share didn't run because another transaction holds its partner. If it may wait, a single share waits for that.
   */
  run(
    connection: PoolClient,
    shares: readonly Share<Command>[],
    mayWait: boolean,
  ): Promise<{ committed: (Result | undefined)[]; times: BatchTimes }>;
  /** Clears cached knowledge about the database, because a standby that takes over may lack the last commits. */
  forget(): void;
}

export interface LaneObserver<Result = ShareResult> {
  batch(size: number, times: BatchTimes): void;
  /** Changes of a partner are committed. Calls for different batches may come out of order. */
  committed(clientId: number, result: Result): void;
  /** The database was unavailable, or an unexpected error occurred. The commands have failed. */
  fault(error: unknown): void;
}

export interface LaneResources<Command = unknown, Result extends ShareResult = ShareResult> {
  /** Partners share a transaction only if they are on one node. Two nodes would need a two-phase commit. */
  pools: NodePools;
  batches: BatchRunner<Command, Result>;
  isDatabaseUp(): boolean;
}

export interface Waiting {
  command: unknown;
  deadline: number;
  /** Delivers the outcome. Returns true if it completes the response to a request. */
  complete(outcome: Outcome): boolean;
  /** Puts low-priority work back at the front of its lane. Its command is made again when it is taken. */
  requeue?(): void;
  /** The request of the command, if requests are traced. */
  request?: TracedBatch['requests'][number];
}

/** Low-priority commands have no deadline. They come after all commands that have one. */
export const noDeadline = Number.POSITIVE_INFINITY;
export const isLowPriority = ({ deadline }: Waiting): boolean => deadline === noDeadline;

/** The commands of one partner that a transaction runs. */
export interface Taken {
  clientId: number;
  waiting: Waiting[];
}

/** Commands that didn't run because another transaction holds their partner or a shared transaction failed. */
export interface Postponed extends Taken {
  /** Whether this partner may have made a shared transaction fail, so that it could soon delay the others again. */
  hasFailed: boolean;
}

const maxAttempts = 3;
export const unavailable = refuse('unavailable');

/**
 * Never throws. `taken` is sorted by partner id, the order in which event heads are locked. Calls `release` once, with
 * the commands that must run again in a later transaction. It does so before it delivers the last outcomes, so that the
 * database starts the next batch meanwhile.
 */
export async function runTransaction(
  resources: LaneResources,
  observer: LaneObserver,
  taken: Taken[],
  mayWait: boolean,
  release: (postponed: Postponed[]) => void,
): Promise<void> {
  if (taken.length === 0) return release([]);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    let ended: Ended;
    try {
      ended = await attemptOnce(resources, taken, mayWait);
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isLockTimeout(error)) {
        resources.batches.forget();
        observer.fault(error);
        completeTaken(taken, unavailable);
        return release([]);
      }
      if (taken.length > 1) return isolateFailure(resources, observer, taken, error, release);
      if (isLockTimeout(error)) return release(postponed(taken));
      if (isLostRace(error)) continue;
      if (commandsIn(taken) > 1) break;
      observer.fault(error);
      completeTaken(taken, refuse('internal_error'));
      return release([]);
    }
    release(postponed(ended.held));
    return deliver(observer, ended);
  }
  if (commandsIn(taken) > 1) return runAll(resources, observer, eachCommand(taken), mayWait, [], release);
  completeTaken(taken, unavailable);
  release([]);
}

/** Runs one transaction after the other. `again` are the commands that must run again in any case. */
async function runAll(
  resources: LaneResources,
  observer: LaneObserver,
  parts: Taken[][],
  mayWait: boolean,
  again: Postponed[],
  release: (postponed: Postponed[]) => void,
): Promise<void> {
  try {
    for (const part of parts) {
      await runTransaction(resources, observer, part, mayWait, (more) => again.push(...more));
    }
  } finally {
    release(again);
  }
}

const postponed = (taken: Taken[], hasFailed = false): Postponed[] => taken.map((one) => ({ ...one, hasFailed }));

/**
 * Runs a failed shared transaction again without the partner that the error names. If the error names no partner, each
 * half runs by itself. A partner that is named, or left over, runs alone later: it may fail or wait for a lock again,
 * and the others would have to wait for that.
 */
function isolateFailure(
  resources: LaneResources,
  observer: LaneObserver,
  taken: Taken[],
  error: unknown,
  release: (postponed: Postponed[]) => void,
): Promise<void> {
  const failed = partnerIn(error);
  const isNamed = taken.some(({ clientId }) => clientId === failed);
  const middle = Math.ceil(taken.length / 2);
  const parts = isNamed
    ? [taken.filter(({ clientId }) => clientId !== failed)]
    : [taken.slice(0, middle), taken.slice(middle)].filter(({ length }) => length > 1);
  const running = new Set(parts.flat());
  const others = taken.filter((one) => !running.has(one));
  return runAll(resources, observer, parts, false, postponed(others, true), release);
}

const commandsIn = (taken: Taken[]): number => taken.reduce((sum, { waiting }) => sum + waiting.length, 0);

const eachCommand = (taken: Taken[]): Taken[][] =>
  taken.flatMap(({ clientId, waiting }) => waiting.map((one) => [{ clientId, waiting: [one] }]));

interface Ended {
  /** The commands that ran. */
  taken: Taken[];
  /** Their results. */
  committed: ShareResult[];
  /** The commands whose partners another transaction holds. */
  held: Taken[];
  times: BatchTimes;
}

/**
 * Refuses commands whose deadline passed while the batch waited for a connection or while an earlier attempt failed.
 */
async function attemptOnce({ pools, batches }: LaneResources, all: Taken[], mayWait: boolean): Promise<Ended> {
  const connection = await poolFor(pools, all[0]?.clientId ?? 0).connect();
  try {
    for (const { waiting } of all) refuseLate(waiting);
    const taken = all.filter(({ waiting }) => waiting.length > 0);
    if (taken.length === 0) {
      connection.release();
      return { taken, committed: [], held: [], times: { loadMs: 0, commitMs: 0 } };
    }
    const shares = taken.map(({ clientId, waiting }) => ({
      clientId,
      commands: waiting.map(({ command }) => command),
    }));
    const { committed, times } = await batches.run(connection, shares, mayWait);
    connection.release();
    return {
      taken: taken.filter((_, i) => committed[i] !== undefined),
      committed: committed.filter((result) => result !== undefined),
      held: taken.filter((_, i) => committed[i] === undefined),
      times,
    };
  } catch (error) {
    await releaseConnection(connection, error);
    throw error;
  }
}

/** The most parts in which outcomes are delivered, and the least number of responses in a part. */
const deliveryParts = { parts: 4, least: 8 };

/**
 * Delivers the outcomes in parts, so that the event loop handles input in between. The next batch is already running:
 * if all responses were written at once, the database would finish its reads and then wait for this process.
 */
async function deliver(observer: LaneObserver, { taken, committed, times }: Ended): Promise<void> {
  const part = Math.max(deliveryParts.least, Math.ceil(commandsIn(taken) / deliveryParts.parts));
  let delivered = 0;
  for (const [i, { waiting }] of taken.entries()) {
    const { outcomes } = committed[i] as ShareResult;
    // A missing outcome would make a committed command look failed.
    assert.equal(outcomes.length, waiting.length, 'every command has an outcome');
    for (const [j, { complete }] of waiting.entries()) {
      if (delivered === part) {
        await setImmediate();
        delivered = 0;
      }
      if (complete(outcomes[j] as Outcome)) delivered++;
    }
  }
  for (const [i, { clientId }] of taken.entries()) {
    const result = committed[i] as ShareResult;
    if (result.isChanged) observer.committed(clientId, result);
  }
  if (taken.length > 0) observer.batch(commandsIn(taken), times);
  if (tracing !== undefined && taken.length > 0) traceBatch(taken, times);
}

function traceBatch(taken: Taken[], { loadMs, commitMs }: BatchTimes): void {
  tracing?.batch({
    startedAt: Date.now() - loadMs - commitMs,
    loadMs,
    commitMs,
    commands: commandsIn(taken),
    partners: taken.length,
    requests: taken.flatMap(({ waiting }) => waiting.map(({ request }) => request)),
  });
}

/** Returns the connection to the pool after a rollback, or closes it if its state is in doubt. */
async function releaseConnection(connection: PoolClient, error: unknown): Promise<void> {
  if (isDatabaseUnavailable(error) && !isLockTimeout(error)) return connection.release(true);
  try {
    await connection.query('ROLLBACK');
    connection.release();
  } catch {
    connection.release(true);
  }
}

/** The queue is sorted by age, oldest first. */
export function refuseLate(queue: Waiting[]): void {
  const now = performance.now();
  const firstInTime = queue.findIndex((waiting) => waiting.deadline > now);
  completeAll(queue.splice(0, firstInTime < 0 ? queue.length : firstInTime), unavailable);
}

export function completeAll(waiting: Waiting[], outcome: Outcome): void {
  for (const { complete } of waiting) complete(outcome);
}

function completeTaken(taken: Taken[], outcome: Outcome): void {
  for (const { waiting } of taken) completeAll(waiting, outcome);
}
