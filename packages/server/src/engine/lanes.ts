import type { Outcome } from '../primitives/outcome.ts';
import {
  completeAll,
  isLowPriority,
  type LaneObserver,
  type LaneResources,
  type Postponed,
  refuseLate,
  runTransaction,
  type ShareResult,
  unavailable,
} from './attempts.ts';
import { openPerPool } from './connection.ts';
import {
  type Lane,
  type LaneSettings,
  leastRoom,
  type State,
  takeFrom,
  takeLanes,
  takeOverdueLane,
  transactionsOf,
  type Use,
} from './next-transaction.ts';
import { tracing } from './tracing.ts';

// Group commit. A lane queues the commands of one partner. It has one batch in flight, and commands that arrive
// meanwhile form the next batch. There is no timer, so an idle lane starts at once and a busy one batches by itself. If
// many partners are busy, several short lanes share a transaction.
//
// A lane may also have low-priority work, such as a step of a job. Its command is made when a batch is formed, to fit
// the room that the batch offers: the whole batch if no urgent command is waiting, otherwise a share of it, so that
// urgent commands wait little longer. If urgent commands of other lanes use all transactions, low-priority work waits
// for a quarter of a second and then gets the next transaction, with the least room.
//
// `submit` adds to the end of a lane's queue, and a transaction takes from its front. Code that removes a command either
// delivers its outcome or puts it back at the front, so each command gets exactly one outcome. The same holds for
// `lowPriority`, to which `submitLowPriority` adds. Changes happen between awaits on one thread, so they need no locks.

export interface Lanes<Command = unknown> {
  /** Returns the outcomes in the order of the commands. Queues all of the commands or none. */
  submit(clientId: number, commands: readonly Command[]): Promise<Outcome[]>;
  /**
   * Runs one command in a batch that has room for it. `make` is called when the batch is formed, with roughly how many
   * rows the command may touch. The command has no deadline; it fails if the database is unavailable or the server
   * stops.
   */
  submitLowPriority(clientId: number, make: (room: number) => Command): Promise<Outcome>;
  /** Whether `submit` would queue this many commands of the partner. */
  hasRoom(clientId: number, commands: number): boolean;
  /** Refuses all waiting commands; called when the database is unavailable. */
  refuseAll(): void;
  depth(): number;
  /** How long the oldest command has waited, in milliseconds. */
  oldestMs(): number;
  /** Whether urgent commands are waiting or running. */
  isBusy(): boolean;
  /** Resolves when all accepted commands have outcomes. */
  drain(): Promise<void>;
}

const lateCheckMs = 100;

/** Each pool has its own lanes and transactions. A partner that moves to another node may have a lane on both. */
export function openLanes<Command, Result extends ShareResult>(
  resources: LaneResources<Command, Result>,
  settings: LaneSettings,
  observer: LaneObserver<Result>,
): Lanes<Command> {
  const { of, all } = openPerPool(
    resources.pools,
    () => openLanesOfPool(resources, settings, observer),
    (lanes) => lanes.isIdle(),
  );
  return {
    submit: (clientId, commands) => of(clientId).submit(clientId, commands),
    submitLowPriority: (clientId, make) => of(clientId).submitLowPriority(clientId, make),
    hasRoom: (clientId, commands) => of(clientId).hasRoom(clientId, commands),
    refuseAll() {
      for (const lanes of all()) lanes.refuseAll();
    },
    depth: () => all().reduce((sum, lanes) => sum + lanes.depth(), 0),
    oldestMs: () => Math.max(0, ...all().map((lanes) => lanes.oldestMs())),
    isBusy: () => all().some((lanes) => lanes.isBusy()),
    async drain() {
      await Promise.all(all().map((lanes) => lanes.drain()));
    },
  };
}

type LanesOfPool = Lanes & { isIdle(): boolean };

function openLanesOfPool(resources: LaneResources, settings: LaneSettings, observer: LaneObserver): LanesOfPool {
  const state: State = {
    resources,
    settings,
    observer,
    lanes: new Map(),
    ready: new Set(),
    readyLowPriority: new Set(),
    aloneUntil: new Map(),
    inUse: { short: 0, long: 0, postponed: 0 },
    urgentTransactions: 0,
    urgent: { count: 0, at: Number.NEGATIVE_INFINITY },
    isDraining: false,
    running: new Set(),
    dispatching: undefined,
    lateCheck: undefined,
  };
  return {
    isIdle: () => state.lanes.size + state.running.size === 0,
    submit: (clientId, commands) => submit(state, clientId, commands),
    submitLowPriority: (clientId, make) => submitLowPriority(state, clientId, make),
    hasRoom: (clientId, commands) => hasRoom(state, clientId, commands),
    refuseAll: () => refuseAll(state),
    depth: () => depthOf(state),
    oldestMs: () => oldestMsIn(state),
    isBusy: () => state.ready.size + state.urgentTransactions > 0,
    async drain() {
      state.isDraining = true;
      refuseLowPriority(state);
      while (state.lanes.size + state.running.size > 0) {
        await (state.running.size > 0 ? Promise.allSettled(state.running) : new Promise(setImmediate));
      }
    },
  };
}

const hasRoom = ({ resources, settings, lanes }: State, clientId: number, commands: number): boolean =>
  resources.isDatabaseUp() && (lanes.get(clientId)?.queue.length ?? 0) + commands <= settings.queueSize;

function submit(state: State, clientId: number, commands: readonly unknown[]): Promise<Outcome[]> {
  const { settings, lanes, ready, readyLowPriority } = state;
  if (!hasRoom(state, clientId, commands.length)) return Promise.resolve(commands.map(() => unavailable));
  let lane = lanes.get(clientId);
  if (commands.length === 0) return Promise.resolve([]);
  if (lane === undefined) {
    lane = openLane(state, clientId);
    ready.add(lane);
  } else if (readyLowPriority.delete(lane)) ready.add(lane);
  const { queue } = lane;
  const deadline = performance.now() + settings.deadlineMs;
  const request = tracing?.current();
  const { promise, resolve } = Promise.withResolvers<Outcome[]>();
  const outcomes = new Array<Outcome>(commands.length);
  let remaining = commands.length;
  for (const [i, command] of commands.entries()) {
    const complete = (outcome: Outcome) => {
      outcomes[i] = outcome;
      remaining -= 1;
      if (remaining === 0) resolve(outcomes);
      return remaining === 0;
    };
    queue.push({ command, deadline, complete, request });
  }
  dispatchSoon(state);
  watchForLate(state);
  return promise;
}

function openLane({ lanes }: State, clientId: number): Lane {
  const lane: Lane = { clientId, queue: [], lowPriority: [], waitsSince: 0, runsAlone: false, timesPostponed: 0 };
  lanes.set(clientId, lane);
  return lane;
}

async function submitLowPriority(state: State, clientId: number, make: (room: number) => unknown): Promise<Outcome> {
  if (state.isDraining || !state.resources.isDatabaseUp()) return unavailable;
  let lane = state.lanes.get(clientId);
  if (lane === undefined) {
    lane = openLane(state, clientId);
    queueLowPriority(state, lane);
  }
  const { lowPriority } = lane;
  const outcome = new Promise<Outcome>((resolve) => {
    const complete = (given: Outcome) => {
      resolve(given);
      return true;
    };
    lowPriority.push({ make, complete });
  });
  dispatchSoon(state);
  return outcome;
}

/** Dispatches after the current turn of the event loop, so that the requests of one turn form one batch. */
function dispatchSoon(state: State): void {
  if (state.ready.size + state.readyLowPriority.size > 0) state.dispatching ??= setImmediate(dispatch, state);
}

function dispatch(state: State): void {
  state.dispatching = undefined;
  const { ready, readyLowPriority, running, settings } = state;
  const start = (lanes: Lane[], mostRoom?: number, use: Use = 'long') => {
    const ended = run(state, lanes, use, mostRoom);
    running.add(ended);
    ended.finally(() => running.delete(ended)).catch(state.observer.fault);
  };
  const overdue = takeOverdueLane(state);
  if (overdue !== undefined) start([overdue], leastRoom);
  while (ready.size > 0 && transactionsOf(state) < settings.transactions) {
    const { lanes, use } = takeLanes(state);
    if (lanes.length === 0) break;
    start(lanes, undefined, use);
  }
  // One connection stays free for urgent commands that arrive meanwhile.
  const most = Math.max(1, settings.transactions - 1);
  for (const lane of readyLowPriority) {
    if (transactionsOf(state) >= most) break;
    readyLowPriority.delete(lane);
    start([lane]);
  }
}

async function run(state: State, lanes: Lane[], use: Use, mostRoom = Number.POSITIVE_INFINITY): Promise<void> {
  const { resources, observer } = state;
  const taken = lanes
    .toSorted((a, b) => a.clientId - b.clientId)
    .map((lane) => ({ lane, clientId: lane.clientId, waiting: takeFrom(state, lane, mostRoom) }))
    .filter(({ waiting }) => waiting.length > 0);
  const urgent = taken.reduce((sum, { waiting }) => sum + waiting.filter((one) => !isLowPriority(one)).length, 0);
  const isUrgent = urgent > 0;
  if (isUrgent) state.urgent = { count: urgent, at: performance.now() };
  state.inUse[use]++;
  // Short lanes don't wait for a partner that another transaction holds.
  const mayWait = use !== 'short';
  if (isUrgent) state.urgentTransactions++;
  for (const lane of lanes) lane.runsAlone = false;
  const release = (postponed: readonly Postponed[]) => {
    state.inUse[use]--;
    if (isUrgent) {
      state.urgentTransactions--;
      state.urgent.at = performance.now();
    }
    const again = Map.groupBy(postponed, ({ clientId }) => clientId);
    for (const lane of lanes) {
      const some = again.get(lane.clientId);
      if (some === undefined) lane.timesPostponed = 0;
      else runAgain(state, lane, some, { mayWait, isAlone: lanes.length === 1 });
      putBack(state, lane);
    }
    if (postponed.length > 0) watchForLate(state);
    dispatch(state);
  };
  await runTransaction(resources, observer, taken, mayWait, release);
}

/**
 * How many shared transactions in a row may leave out a lane. The next one that does makes it wait for its partner in a
 * transaction of its own. Processes that serve the same partners often lock each other out: with 6 instead of 0, four
 * processes on two cores got 1.4 times the throughput.
 */
const maxTimesPostponed = 6;

/** How long a partner that made a shared transaction fail runs alone. */
const aloneMs = 10_000;

function runAgain(
  { aloneUntil }: State,
  lane: Lane,
  postponed: readonly Postponed[],
  ran: { mayWait: boolean; isAlone: boolean },
): void {
  const waiting = postponed.flatMap((each) => each.waiting);
  lane.queue.unshift(...waiting.filter((one) => !isLowPriority(one)));
  for (const one of waiting.filter(isLowPriority)) {
    if (!ran.mayWait) one.requeue?.();
    // It has waited for a second. The caller submits it again.
    else one.complete(unavailable);
  }
  lane.timesPostponed++;
  lane.runsAlone = ran.isAlone || lane.timesPostponed > maxTimesPostponed;
  if (!postponed.some(({ hasFailed }) => hasFailed)) return;
  const now = performance.now();
  for (const [clientId, until] of aloneUntil) if (until <= now) aloneUntil.delete(clientId);
  aloneUntil.set(lane.clientId, now + aloneMs);
}

/** Queues the lane again, or removes it if it is empty. */
function putBack(state: State, lane: Lane): void {
  if (lane.queue.length > 0) state.ready.add(lane);
  else if (lane.lowPriority.length > 0) queueLowPriority(state, lane);
  else state.lanes.delete(lane.clientId);
}

/** A Set keeps the order of insertion, so the lane that has waited longest comes first. */
function queueLowPriority({ readyLowPriority }: State, lane: Lane): void {
  lane.waitsSince = performance.now();
  readyLowPriority.add(lane);
}

const depthOf = ({ lanes }: State): number => lanes.values().reduce((sum, lane) => sum + lane.queue.length, 0);

/** The first command of a queue is its oldest, because all commands get the same time until their deadline. */
function oldestMsIn({ lanes, settings: { deadlineMs } }: State): number {
  const deadlines = lanes.values().flatMap(({ queue: [first] }) => (first === undefined ? [] : [first.deadline]));
  const soonest = deadlines.reduce((least, deadline) => Math.min(least, deadline), Number.POSITIVE_INFINITY);
  return soonest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, performance.now() + deadlineMs - soonest);
}

function watchForLate(state: State): void {
  state.lateCheck ??= setTimeout(checkForLate, lateCheckMs, state).unref();
}

function checkForLate(state: State): void {
  state.lateCheck = undefined;
  for (const lane of state.lanes.values()) refuseLate(lane.queue);
  // Lanes that wait for a transaction of their own try a shared one again, because their partners may be free by now.
  for (const lane of state.ready) lane.runsAlone = false;
  dispatchSoon(state);
  if (depthOf(state) > 0) watchForLate(state);
}

function refuseAll(state: State): void {
  state.resources.batches.forget();
  for (const { queue } of state.lanes.values()) completeAll(queue.splice(0), unavailable);
  refuseLowPriority(state);
}

function refuseLowPriority({ lanes }: State): void {
  for (const { lowPriority } of lanes.values()) for (const { complete } of lowPriority.splice(0)) complete(unavailable);
}
