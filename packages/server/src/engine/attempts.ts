import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { PartnerProfile } from '../partners/profile.ts';
import { type Outcome, refuse } from '../primitives/outcome.ts';
import { type BatchTimes, type Committed, runBatch } from '../promo/batch/batch.ts';
import type { Command } from '../promo/batch/command.ts';
import type { EmittedEvent } from '../promo/batch/event.ts';
import type { Waking } from '../promo/batch/waking.ts';
import type { CampaignDefinitions } from '../promo/campaigns/sql/definitions.ts';
import { isDatabaseUnavailable, isLockTimeout, isLostRace } from './faults.ts';
import { hasManyNodes, type NodePools, poolFor } from './nodes.ts';
import { type TracedBatch, tracing } from './tracing.ts';

// A transaction, and what happens when it fails: partners that shared it get one each, one partner's is tried again, and then
// each command has its own. So one bad command fails nobody else, and whatever happens, every command is answered once. Of one that
// succeeds, the commands that were overtaken are carried out again before they are answered.

export interface LaneObserver {
  batch(size: number, times: BatchTimes): void;
  /** Something of a partner was changed, and is committed; with the events of it, if there are any. Batches may be told in another order. */
  committed(clientId: number, emitted: ReadonlySet<EmittedEvent>): void;
  /** The database could not do it now, or something failed that nobody expected; the commands are answered so. */
  fault(error: unknown): void;
}

export interface LaneResources {
  /** Partners share a transaction only on one node: on two it would be committed in two steps. */
  pools: NodePools;
  definitions: CampaignDefinitions;
  profileOf(clientId: number): PartnerProfile;
  waking: Waking;
  isDatabaseUp(): boolean;
}

export interface Waiting {
  command: Command;
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
        resources.waking.forget();
        observer.fault(error);
        return answerTaken(taken, unavailable);
      }
      if (taken.length > 1) return 'retry_alone';
      if (isLostRace(error)) continue;
      if (commandsIn(taken) > 1) break;
      observer.fault(error);
      return answerTaken(taken, refuse('internal_error'));
    }
    const isWhole = ended.committed.every(({ overtaken }) => overtaken.size === 0);
    if (isWhole) whenCommitted();
    await report(observer, ended);
    if (isWhole) return 'answered';
    // No command is overtaken twice: an id that exists is loaded with it, and not looked up again.
    return runTransaction(resources, observer, leaveOvertaken(ended), whenCommitted);
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
  committed: Committed[];
  times: BatchTimes;
}

/** Whatever is answered is taken out of the batch; what is left is to be carried out again. */
function leaveOvertaken({ taken, committed }: Ended): Taken[] {
  for (const [i, { waiting }] of taken.entries()) {
    const { overtaken } = committed[i] as Committed;
    waiting.splice(0, waiting.length, ...waiting.filter(({ command }) => overtaken.has(command)));
  }
  return taken.filter(({ waiting }) => waiting.length > 0);
}

/**
 * Waiting for a connection, or an attempt that failed, may have taken long: what is late by then, the oldest at the front,
 * is not carried out, and taken out of the batch.
 */
async function attemptOnce(resources: LaneResources, all: Taken[]): Promise<Ended> {
  const { pools, definitions, profileOf, waking } = resources;
  const [isOnMany, plainRows] = [hasManyNodes(pools), pools.plainRows()];
  const connection = await poolFor(pools, all[0]?.clientId ?? 0).connect();
  try {
    for (const { waiting } of all) refuseLate(waiting);
    const taken = all.filter(({ waiting }) => waiting.length > 0);
    const shares = taken.map(({ clientId, waiting }) => ({
      clientId,
      partner: profileOf(clientId),
      commands: waiting.map(({ command }) => command),
    }));
    const { committed, times } = await runBatch({ connection, definitions, waking, isOnMany, plainRows }, shares);
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
    const { outcomes, overtaken } = committed[i] as Committed;
    // What is committed must not be answered as if it were not.
    assert.equal(outcomes.length, waiting.length, 'every command has an outcome');
    for (const [j, { command, answer }] of waiting.entries()) {
      if (overtaken.has(command)) continue;
      if (given === part) {
        await setImmediate();
        given = 0;
      }
      if (answer(outcomes[j] as Outcome)) given++;
    }
  }
  for (const [i, { clientId }] of taken.entries()) {
    const { isChanged, emitted } = committed[i] as Committed;
    if (isChanged) observer.committed(clientId, emitted);
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
