import type { Pool, PoolClient } from 'pg';
import type { PartnerFacts } from '../domain/book.ts';
import type { Command } from '../domain/command.ts';
import { type Outcome, refuse } from '../domain/outcome.ts';
import type { CampaignDefinitions } from '../sql/campaign-definitions.ts';
import { isDatabaseAway, isLostRace } from '../sql/faults.ts';
import { type BatchTimes, carryOut } from './batch.ts';

// Group commit. A lane takes the commands of one partner: one batch is in flight, and what arrives while it commits is
// the next batch. There is no timer, so an idle lane starts at once and a busy one batches by itself.
//
// A lane's queue is changed by `submit`, which adds at its end; by `run`, which takes from its front; and by `refuseLate`
// and `refuseAll`, which answer what need not be tried any more. A command is answered exactly once, by whoever took it
// out of the queue. Everything happens on one thread, between awaits, so there is nothing to lock here.

export interface LaneSettings {
  batchSize: number;
  queueSize: number;
  deadlineMs: number;
}

export interface LaneObserver {
  batch(size: number, times: BatchTimes): void;
  /** A partner has new events, committed. */
  told(clientId: number): void;
  /** Something failed that nobody expected; the commands were answered with internal_error. */
  fault(error: unknown): void;
}

export interface LaneResources {
  pool: Pool;
  definitions: CampaignDefinitions;
  factsOf(clientId: number): PartnerFacts;
  isDatabaseUp(): boolean;
}

interface Waiting {
  command: Command;
  deadline: number;
  answer(outcome: Outcome): void;
}

interface Lane {
  clientId: number;
  queue: Waiting[];
  running: boolean;
}

interface State {
  resources: LaneResources;
  settings: LaneSettings;
  observer: LaneObserver;
  lanes: Map<number, Lane>;
  running: Set<Promise<void>>;
  lateCheck: NodeJS.Timeout | undefined;
}

export interface Lanes {
  /** The outcomes, in the order of the commands. Either all of them are queued, or none. */
  submit(clientId: number, commands: readonly Command[]): Promise<Outcome[]>;
  /** Answers what is waiting at once; called when the database is away. */
  refuseAll(): void;
  depth(): number;
  /** Whether anything is waiting or being carried out. */
  isBusy(): boolean;
  /** Resolves when everything taken has been answered. */
  drain(): Promise<void>;
}

const maxAttempts = 3;
const lateCheckMs = 100;
const unavailable = refuse('unavailable');

export function openLanes(resources: LaneResources, settings: LaneSettings, observer: LaneObserver): Lanes {
  const state: State = { resources, settings, observer, lanes: new Map(), running: new Set(), lateCheck: undefined };
  return {
    submit: (clientId, commands) => submit(state, laneOf(state, clientId), commands),
    refuseAll: () => refuseAll(state),
    depth: () => depthOf(state),
    isBusy: () => state.lanes.size > 0,
    async drain() {
      while (state.running.size > 0) await Promise.all(state.running);
    },
  };
}

function laneOf({ lanes }: State, clientId: number): Lane {
  let lane = lanes.get(clientId);
  if (lane === undefined) {
    lane = { clientId, queue: [], running: false };
    lanes.set(clientId, lane);
  }
  return lane;
}

async function submit(state: State, lane: Lane, commands: readonly Command[]): Promise<Outcome[]> {
  const { resources, settings } = state;
  if (!resources.isDatabaseUp() || lane.queue.length + commands.length > settings.queueSize) {
    return commands.map(() => unavailable);
  }
  const deadline = performance.now() + settings.deadlineMs;
  const outcomes = commands.map(
    (command) => new Promise<Outcome>((answer) => lane.queue.push({ command, deadline, answer })),
  );
  if (!lane.running) start(state, lane);
  state.lateCheck ??= setTimeout(checkForLate, lateCheckMs, state).unref();
  return Promise.all(outcomes);
}

function start(state: State, lane: Lane): void {
  lane.running = true;
  // After the present turn of the event loop, so that the requests it brings make one batch.
  const ended = new Promise<void>((resolve) => setImmediate(() => resolve(run(state, lane))));
  state.running.add(ended);
  void ended.finally(() => state.running.delete(ended));
}

async function run(state: State, lane: Lane): Promise<void> {
  while (lane.queue.length > 0) {
    await carryOutAll(state, lane.clientId, lane.queue.splice(0, state.settings.batchSize));
  }
  lane.running = false;
  // Nothing is left to remember; the next command makes a new lane.
  state.lanes.delete(lane.clientId);
}

/** Never throws: whatever happens, every command is answered, and one bad command fails nobody else. */
async function carryOutAll(state: State, clientId: number, batch: Waiting[]): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    try {
      return await attemptOnce(state, clientId, batch);
    } catch (error) {
      if (isDatabaseAway(error)) return answerAll(batch, unavailable);
      if (isLostRace(error)) continue;
      if (batch.length > 1) break;
      state.observer.fault(error);
      return answerAll(batch, refuse('internal_error'));
    }
  }
  if (batch.length === 1) return answerAll(batch, unavailable);
  for (const waiting of batch) await carryOutAll(state, clientId, [waiting]);
}

/**
 * Waiting for a connection, or an attempt that failed, may have taken long: what is late by then, the oldest at the front,
 * is not carried out, and taken out of the batch.
 */
async function attemptOnce({ resources, observer }: State, clientId: number, batch: Waiting[]): Promise<void> {
  const connection = await resources.pool.connect();
  try {
    const { definitions } = resources;
    const now = performance.now();
    answerAll(batch.splice(0, batch.filter((waiting) => waiting.deadline <= now).length), unavailable);
    if (batch.length === 0) return connection.release();
    const context = { connection, definitions, clientId, partner: resources.factsOf(clientId) };
    const commands = batch.map((waiting) => waiting.command);
    const { outcomes, told, times } = await carryOut(context, commands);
    connection.release();
    observer.batch(commands.length, times);
    if (told > 0) observer.told(clientId);
    batch.forEach((waiting, i) => {
      waiting.answer(outcomes[i] ?? unavailable);
    });
  } catch (error) {
    await giveBack(connection, error);
    throw error;
  }
}

/** A connection whose transaction merely failed can be used again; one that is in doubt cannot. */
async function giveBack(connection: PoolClient, error: unknown): Promise<void> {
  if (isDatabaseAway(error)) return connection.release(true);
  try {
    await connection.query('ROLLBACK');
    connection.release();
  } catch {
    connection.release(true);
  }
}

const depthOf = ({ lanes }: State): number => lanes.values().reduce((sum, lane) => sum + lane.queue.length, 0);

function refuseLate({ queue }: Lane): void {
  const now = performance.now();
  const firstInTime = queue.findIndex((waiting) => waiting.deadline > now);
  answerAll(queue.splice(0, firstInTime < 0 ? queue.length : firstInTime), unavailable);
}

function checkForLate(state: State): void {
  for (const lane of state.lanes.values()) refuseLate(lane);
  state.lateCheck = depthOf(state) > 0 ? setTimeout(checkForLate, lateCheckMs, state).unref() : undefined;
}

function refuseAll({ lanes }: State): void {
  for (const { queue } of lanes.values()) answerAll(queue.splice(0), unavailable);
}

function answerAll(waiting: Waiting[], outcome: Outcome): void {
  for (const { answer } of waiting) answer(outcome);
}
