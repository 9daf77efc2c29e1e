import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type Outcome, refuse } from '../primitives/outcome.ts';
import { type NodePools, poolFor } from './connection.ts';
import { isDatabaseUnavailable, isLockTimeout, isLostRace } from './faults.ts';
import { type TracedBatch, tracing } from './tracing.ts';

// A transaction, and what happens when it fails: partners that shared it get one each, one partner's is tried again, and then
// each command has its own. So one bad command fails nobody else, and whatever happens, every command is answered once. Of one that
// succeeds, the commands that lost a race for their id run again before they are answered.

/** The commands of one partner in a batch. */
export interface Share<Command = unknown> {
  clientId: number;
  commands: readonly Command[];
}

/** The result of one share. */
export interface ShareResult<Command = unknown> {
  /** In the order of the commands. */
  outcomes: Outcome[];
  isChanged: boolean;
  /** Refused commands that must run again. */
  lostIdRace: ReadonlySet<Command>;
}

export interface BatchTimes {
  loadMs: number;
  commitMs: number;
}

/** What a batch does is not the engine's business: the engine forms batches, retries them and delivers the outcomes. */
export interface BatchRunner<Command = unknown, Result extends ShareResult<Command> = ShareResult<Command>> {
  /** Runs a whole transaction. The shares are sorted by partner id; each has one result. */
  run(connection: PoolClient, shares: readonly Share<Command>[]): Promise<{ committed: Result[]; times: BatchTimes }>;
  /** Drops what it remembers about the database: a standby that takes over may lack the last commits. */
  forget(): void;
}

export interface LaneObserver<Result = ShareResult> {
  batch(size: number, times: BatchTimes): void;
  /** Changes of a partner are committed. Calls for different batches may come out of order. */
  committed(clientId: number, result: Result): void;
  /** The database could not do it now, or something failed that nobody expected; the commands are answered so. */
  fault(error: unknown): void;
}

export interface LaneResources<Command = unknown, Result extends ShareResult<Command> = ShareResult<Command>> {
  /** Partners share a transaction only on one node: on two it would be committed in two steps. */
  pools: NodePools;
  batches: BatchRunner<Command, Result>;
  isDatabaseUp(): boolean;
}

export interface Waiting {
  command: unknown;
  deadline: number;
  /** Whether whoever asked has all of their answers by this. */
  answer(outcome: Outcome): boolean;
  /** The request that it belongs to, where requests are traced. */
  request?: TracedBatch['requests'][number];
}

/** What can wait has no deadline, and stands behind all that have one. */
export const noDeadline = Number.POSITIVE_INFINITY;
export const isPatient = ({ deadline }: Waiting): boolean => deadline === noDeadline;

/** What one transaction takes of one partner's queue. */
interface Taken {
  clientId: number;
  waiting: Waiting[];
}

const maxAttempts = 3;
export const unavailable = refuse('unavailable');

/**
 * In the order of the partners' ids, as their rows are locked. Never throws. `whenCommitted` is called before the last answers are
 * given, so that the database has the next batch meanwhile. What had to wait too long for a lock, and partners that could not
 * share, are left as they were, to be carried out alone.
 */
export async function runTransaction(
  resources: LaneResources,
  observer: LaneObserver,
  taken: Taken[],
  whenCommitted: () => void,
): Promise<'answered' | 'retry_alone'> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    let ended: Ended;
    try {
      ended = await attemptOnce(resources, taken);
    } catch (error) {
      if (isLockTimeout(error)) return 'retry_alone';
      if (isDatabaseUnavailable(error)) {
        resources.batches.forget();
        observer.fault(error);
        return answerTaken(taken, unavailable);
      }
      if (taken.length > 1) return 'retry_alone';
      if (isLostRace(error)) continue;
      if (commandsIn(taken) > 1) break;
      observer.fault(error);
      return answerTaken(taken, refuse('internal_error'));
    }
    const isWhole = ended.committed.every(({ lostIdRace }) => lostIdRace.size === 0);
    if (isWhole) whenCommitted();
    await report(observer, ended);
    if (isWhole) return 'answered';
    // A command loses such a race once at most: it is loaded with the row of its id, so the id is not looked up again.
    return runTransaction(resources, observer, keepLostIdRaces(ended), whenCommitted);
  }
  if (commandsIn(taken) === 1) return answerTaken(taken, unavailable);
  for (const one of eachCommand(taken)) {
    if ((await runTransaction(resources, observer, one, () => {})) === 'retry_alone') answerTaken(one, unavailable);
  }
  return 'answered';
}

const commandsIn = (taken: Taken[]): number => taken.reduce((sum, { waiting }) => sum + waiting.length, 0);

const eachCommand = (taken: Taken[]): Taken[][] =>
  taken.flatMap(({ clientId, waiting }) => waiting.map((one) => [{ clientId, waiting: [one] }]));

interface Ended {
  taken: Taken[];
  committed: ShareResult[];
  times: BatchTimes;
}

/** Removes the answered commands from the batch. The others run again. */
function keepLostIdRaces({ taken, committed }: Ended): Taken[] {
  for (const [i, { waiting }] of taken.entries()) {
    const { lostIdRace } = committed[i] as ShareResult;
    waiting.splice(0, waiting.length, ...waiting.filter(({ command }) => lostIdRace.has(command)));
  }
  return taken.filter(({ waiting }) => waiting.length > 0);
}

/**
 * Waiting for a connection, or an attempt that failed, may have taken long: what is late by then, the oldest at the front,
 * is not carried out, and taken out of the batch.
 */
async function attemptOnce({ pools, batches }: LaneResources, all: Taken[]): Promise<Ended> {
  const connection = await poolFor(pools, all[0]?.clientId ?? 0).connect();
  try {
    for (const { waiting } of all) refuseLate(waiting);
    const taken = all.filter(({ waiting }) => waiting.length > 0);
    const shares = taken.map(({ clientId, waiting }) => ({
      clientId,
      commands: waiting.map(({ command }) => command),
    }));
    const { committed, times } = await batches.run(connection, shares);
    connection.release();
    return { taken, committed, times };
  } catch (error) {
    await giveBack(connection, error);
    throw error;
  }
}

/** So many parts at most, none of them smaller than this. */
const answering = { parts: 4, least: 8 };

/**
 * Between the parts of the answers the event loop looks for what has come. The next batch is under way by then: with all answers at
 * once the database would have read what it needs, and then wait for as long as they take to be written.
 */
async function report(observer: LaneObserver, { taken, committed, times }: Ended): Promise<void> {
  const part = Math.max(answering.least, Math.ceil(commandsIn(taken) / answering.parts));
  let given = 0;
  for (const [i, { waiting }] of taken.entries()) {
    const { outcomes, lostIdRace } = committed[i] as ShareResult;
    // What is committed must not be answered as if it were not.
    assert.equal(outcomes.length, waiting.length, 'every command has an outcome');
    for (const [j, { command, answer }] of waiting.entries()) {
      if (lostIdRace.has(command)) continue;
      if (given === part) {
        await setImmediate();
        given = 0;
      }
      if (answer(outcomes[j] as Outcome)) given++;
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

/** A connection whose transaction merely failed can be used again; one that is in doubt cannot. */
async function giveBack(connection: PoolClient, error: unknown): Promise<void> {
  if (isDatabaseUnavailable(error) && !isLockTimeout(error)) return connection.release(true);
  try {
    await connection.query('ROLLBACK');
    connection.release();
  } catch {
    connection.release(true);
  }
}

/** The oldest are at the front. */
export function refuseLate(queue: Waiting[]): void {
  const now = performance.now();
  const firstInTime = queue.findIndex((waiting) => waiting.deadline > now);
  answerAll(queue.splice(0, firstInTime < 0 ? queue.length : firstInTime), unavailable);
}

export function answerAll(waiting: Waiting[], outcome: Outcome): void {
  for (const { answer } of waiting) answer(outcome);
}

function answerTaken(taken: Taken[], outcome: Outcome): 'answered' {
  for (const { waiting } of taken) answerAll(waiting, outcome);
  return 'answered';
}
