import { type Outcome, refuse } from '../primitives/outcome.ts';
import {
  answerAll,
  isPatient,
  type LaneObserver,
  type LaneResources,
  noDeadline,
  refuseLate,
  runTransaction,
  type ShareResult,
  unavailable,
  type Waiting,
} from './attempts.ts';
import { openPerPool } from './connection.ts';
import { tracing } from './tracing.ts';

// Group commit. A lane takes the commands of one partner: one batch is in flight, and what arrives while it commits is
// the next batch. There is no timer, so an idle lane starts at once and a busy one batches by itself. Where more partners
// are busy than there are connections, a transaction takes several short lanes along.
//
// Beside what is urgent a lane may have work that can wait, such as a step of a job: it is made only when a batch is formed,
// and as large as the room that it is offered. The whole batch, where nothing is urgent; beside urgent commands a share, so
// that these wait little longer than they would without it. Where all transactions are taken by what is urgent in other lanes, it
// waits for a quarter of a second, and then has the next one, with the least room.
//
// A lane's queue is changed by `submit`, which adds at its end; by `dispatch`, which takes from its front; and by
// `checkForLate` and `refuseAll`, which answer what need not be tried any more. A command is answered exactly once, by
// whoever took it out of the queue; the same holds for `patient`, which `submitPatiently` adds to. Everything happens on one
// thread, between awaits, so there is nothing to lock here.

export interface LaneSettings {
  batchSize: number;
  queueSize: number;
  deadlineMs: number;
  /** At most, of each pool; there is a connection for each. */
  transactions: number;
}

interface Patient extends Pick<Waiting, 'answer'> {
  make(room: number): unknown;
}

interface Lane {
  clientId: number;
  queue: Waiting[];
  patient: Patient[];
  /** When it was last put among those that have nothing but what can wait. */
  waitsSince: number;
  /** The next transaction is for this lane alone: the last one waited too long for a lock, or a shared one failed. */
  runsAlone: boolean;
}

interface State {
  resources: LaneResources;
  settings: LaneSettings;
  observer: LaneObserver;
  lanes: Map<number, Lane>;
  /** Those with commands that no transaction has taken yet, the first to be served first. */
  ready: Set<Lane>;
  /** Those that have nothing but what can wait. */
  readyToWait: Set<Lane>;
  transactions: number;
  /** Of these, with something urgent. */
  urgentTransactions: number;
  /** Commands of the latest transaction with something urgent, and when it began or ended. */
  urgent: { count: number; at: number };
  isDraining: boolean;
  /** Until everything they took has been answered. */
  running: Set<Promise<void>>;
  dispatching: NodeJS.Immediate | undefined;
  lateCheck: NodeJS.Timeout | undefined;
}

export interface Lanes<Command = unknown> {
  /** The outcomes, in the order of the commands. Either all of them are queued, or none. */
  submit(clientId: number, commands: readonly Command[]): Promise<Outcome[]>;
  /**
   * Carries out one command with a batch that has room for it. `make` is called when that is known, with how many rows it may
   * take, roughly: it is not refused for having waited, but when the database is unavailable or the server stops.
   */
  submitPatiently(clientId: number, make: (room: number) => Command): Promise<Outcome>;
  /** Whether `submit` would queue this many commands of the partner now. */
  hasRoom(clientId: number, commands: number): boolean;
  /** Answers what is waiting at once; called when the database is unavailable. */
  refuseAll(): void;
  depth(): number;
  /** For how long the oldest command has waited, in milliseconds. */
  oldestMs(): number;
  /** Whether anything urgent is waiting or being carried out. */
  isBusy(): boolean;
  /** Resolves when everything taken has been answered. */
  drain(): Promise<void>;
}

const lateCheckMs = 100;

/** Lanes share a transaction as long as it stays this small: a longer one gains nothing, and all wait for all of it. */
const sharedSize = 64;

/** What can wait is never offered less, so that it goes on beside requests that come one by one. */
const leastRoom = 16;
/** What can wait does so for this long while others take every transaction. */
const patienceMs = 250;
/** Callers that wait for each answer are back within this time: until then something is urgent, although nothing waits. */
const urgentForMs = 20;

/** Where servers connect to each node of many, each has transactions of its own. A partner that is being moved may have a lane on both. */
export function openLanes<Command, Result extends ShareResult<Command>>(
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
    submitPatiently: (clientId, make) => of(clientId).submitPatiently(clientId, make),
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
    readyToWait: new Set(),
    transactions: 0,
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
    submitPatiently: (clientId, make) => submitPatiently(state, clientId, make),
    hasRoom: (clientId, commands) => hasRoom(state, clientId, commands),
    refuseAll: () => refuseAll(state),
    depth: () => depthOf(state),
    oldestMs: () => oldestMsIn(state),
    isBusy: () => state.ready.size + state.urgentTransactions > 0,
    async drain() {
      state.isDraining = true;
      refusePatient(state);
      while (state.lanes.size + state.running.size > 0) {
        await (state.running.size > 0 ? Promise.all(state.running) : new Promise(setImmediate));
      }
    },
  };
}

const hasRoom = ({ resources, settings, lanes }: State, clientId: number, commands: number): boolean =>
  resources.isDatabaseUp() && (lanes.get(clientId)?.queue.length ?? 0) + commands <= settings.queueSize;

function submit(state: State, clientId: number, commands: readonly unknown[]): Promise<Outcome[]> {
  const { settings, lanes, ready, readyToWait } = state;
  if (!hasRoom(state, clientId, commands.length)) return Promise.resolve(commands.map(() => unavailable));
  let lane = lanes.get(clientId);
  if (commands.length === 0) return Promise.resolve([]);
  if (lane === undefined) {
    lane = openLane(state, clientId);
    ready.add(lane);
  } else if (readyToWait.delete(lane)) ready.add(lane);
  const { queue } = lane;
  const deadline = performance.now() + settings.deadlineMs;
  const request = tracing?.current();
  const { promise, resolve } = Promise.withResolvers<Outcome[]>();
  const outcomes = new Array<Outcome>(commands.length);
  let unanswered = commands.length;
  for (const [i, command] of commands.entries()) {
    const answer = (outcome: Outcome) => {
      outcomes[i] = outcome;
      unanswered -= 1;
      if (unanswered === 0) resolve(outcomes);
      return unanswered === 0;
    };
    queue.push({ command, deadline, answer, request });
  }
  dispatchSoon(state);
  watchForLate(state);
  return promise;
}

function openLane({ lanes }: State, clientId: number): Lane {
  const lane: Lane = { clientId, queue: [], patient: [], waitsSince: 0, runsAlone: false };
  lanes.set(clientId, lane);
  return lane;
}

async function submitPatiently(state: State, clientId: number, make: (room: number) => unknown): Promise<Outcome> {
  if (state.isDraining || !state.resources.isDatabaseUp()) return unavailable;
  let lane = state.lanes.get(clientId);
  if (lane === undefined) {
    lane = openLane(state, clientId);
    letWait(state, lane);
  }
  const { patient } = lane;
  const outcome = new Promise<Outcome>((resolve) => {
    const answer = (given: Outcome) => {
      resolve(given);
      return true;
    };
    patient.push({ make, answer });
  });
  dispatchSoon(state);
  return outcome;
}

/** After the present turn of the event loop, so that the requests it brings make one batch. */
function dispatchSoon(state: State): void {
  if (state.ready.size + state.readyToWait.size > 0) state.dispatching ??= setImmediate(dispatch, state);
}

function dispatch(state: State): void {
  state.dispatching = undefined;
  const { ready, readyToWait, running, settings } = state;
  const start = (lanes: Lane[], mostRoom?: number) => {
    const ended = run(state, lanes, mostRoom);
    running.add(ended);
    ended.finally(() => running.delete(ended)).catch(state.observer.fault);
  };
  const overdue = takeOverdue(state);
  if (overdue !== undefined) start([overdue], leastRoom);
  while (ready.size > 0 && state.transactions < settings.transactions) {
    const free = settings.transactions - state.transactions;
    start(takeLanes(state, Math.ceil(ready.size / free)));
  }
  // What is urgent and comes meanwhile finds a connection.
  const most = Math.max(1, settings.transactions - 1);
  for (const lane of readyToWait) {
    if (state.transactions >= most) break;
    readyToWait.delete(lane);
    start([lane]);
  }
}

/** One at a time, so that all the others together cost what is urgent no more than that. */
function takeOverdue({ readyToWait, transactions, urgentTransactions, settings }: State): Lane | undefined {
  if (transactions >= settings.transactions || transactions > urgentTransactions) return undefined;
  const [longest] = readyToWait;
  if (longest === undefined || performance.now() - longest.waitsSince < patienceMs) return undefined;
  readyToWait.delete(longest);
  return longest;
}

/** One lane, and then others while all of them together are short. */
function takeLanes(state: State, most: number): Lane[] {
  const { ready, settings, resources } = state;
  const nodeOf = ({ clientId }: Lane) => resources.pools.nodes().of(clientId);
  const lanes: Lane[] = [];
  let size = 0;
  for (const lane of ready) {
    const [first] = lanes;
    if (first !== undefined && (lane.runsAlone || nodeOf(lane) !== nodeOf(first))) continue;
    size += lane.queue.length + (lane.patient.length > 0 ? roomIn(state, lane) : 0);
    if (lanes.length === most || (lanes.length > 0 && size > Math.min(sharedSize, settings.batchSize))) break;
    lanes.push(lane);
    ready.delete(lane);
    if (lane.runsAlone) break;
  }
  return lanes;
}

/** For what can wait: half as much as what is urgent, in this lane now or anywhere lately. */
function roomIn({ urgent, settings: { batchSize } }: State, { queue }: Lane): number {
  const lately = performance.now() - urgent.at < urgentForMs ? urgent.count : 0;
  const beside = Math.min(Math.max(queue.length, lately), batchSize);
  return beside === 0 ? batchSize : Math.min(Math.max(leastRoom, Math.ceil(beside / 2)), batchSize);
}

/** What is urgent, and behind it one thing that can wait. */
function takeFrom(state: State, lane: Lane, mostRoom: number): Waiting[] {
  const room = Math.min(roomIn(state, lane), mostRoom);
  const waiting = lane.queue.splice(0, state.settings.batchSize);
  const patient = lane.patient.shift();
  const made = patient && makePatient(state, patient, room);
  return made === undefined ? waiting : [...waiting, made];
}

/** A command that can't be made fails alone: `waiting` is out of the queue by now, and must still be carried out. */
function makePatient({ observer }: State, { make, answer }: Patient, room: number): Waiting | undefined {
  try {
    return { command: make(room), deadline: noDeadline, answer };
  } catch (error) {
    observer.fault(error);
    answer(refuse('internal_error'));
    return undefined;
  }
}

async function run(state: State, lanes: Lane[], mostRoom = Number.POSITIVE_INFINITY): Promise<void> {
  const { resources, observer } = state;
  const taken = lanes
    .toSorted((a, b) => a.clientId - b.clientId)
    .map((lane) => ({ lane, clientId: lane.clientId, waiting: takeFrom(state, lane, mostRoom) }))
    .filter(({ waiting }) => waiting.length > 0);
  const urgent = taken.reduce((sum, { waiting }) => sum + waiting.filter((one) => !isPatient(one)).length, 0);
  const isUrgent = urgent > 0;
  if (isUrgent) state.urgent = { count: urgent, at: performance.now() };
  state.transactions++;
  if (isUrgent) state.urgentTransactions++;
  for (const lane of lanes) lane.runsAlone = false;
  const end = onlyOnce(() => {
    state.transactions--;
    if (isUrgent) {
      state.urgentTransactions--;
      state.urgent.at = performance.now();
    }
    for (const lane of lanes) putBack(state, lane);
    dispatch(state);
  });
  if (taken.length > 0 && (await runTransaction(resources, observer, taken, end)) === 'retry_alone') {
    for (const { lane, waiting } of taken) {
      lane.queue.unshift(...waiting.filter((one) => !isPatient(one)));
      lane.runsAlone = true;
      // Whoever made it makes it anew.
      answerAll(waiting.filter(isPatient), unavailable);
    }
    watchForLate(state);
  }
  end();
}

function onlyOnce(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** When nothing is left in it, there is nothing to remember: the next command makes a new lane. */
function putBack(state: State, lane: Lane): void {
  if (lane.queue.length > 0) state.ready.add(lane);
  else if (lane.patient.length > 0) letWait(state, lane);
  else state.lanes.delete(lane.clientId);
}

/** The one that has waited longest is the first of them. */
function letWait({ readyToWait }: State, lane: Lane): void {
  lane.waitsSince = performance.now();
  readyToWait.add(lane);
}

const depthOf = ({ lanes }: State): number => lanes.values().reduce((sum, lane) => sum + lane.queue.length, 0);

/** The oldest of a lane is at its front, and all have as long until their deadline. */
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
  if (depthOf(state) > 0) watchForLate(state);
}

function refuseAll(state: State): void {
  state.resources.batches.forget();
  for (const { queue } of state.lanes.values()) answerAll(queue.splice(0), unavailable);
  refusePatient(state);
}

function refusePatient({ lanes }: State): void {
  for (const { patient } of lanes.values()) for (const { answer } of patient.splice(0)) answer(unavailable);
}
