import type { Answers, CommandKind, CommandOf } from '../domain/command.ts';
import type { Outcome } from '../domain/outcome.ts';
import {
  answerAll,
  type LaneObserver,
  type LaneResources,
  refuseLate,
  runTransaction,
  unavailable,
  type Waiting,
} from './attempts.ts';

// Group commit. A lane takes the commands of one partner: one batch is in flight, and what arrives while it commits is
// the next batch. There is no timer, so an idle lane starts at once and a busy one batches by itself. Where more partners
// are busy than there are connections, a transaction takes several short lanes along.
//
// A lane's queue is changed by `submit`, which adds at its end; by `dispatch`, which takes from its front; and by
// `checkForLate` and `refuseAll`, which answer what need not be tried any more. A command is answered exactly once, by
// whoever took it out of the queue. Everything happens on one thread, between awaits, so there is nothing to lock here.

export interface LaneSettings {
  batchSize: number;
  queueSize: number;
  deadlineMs: number;
  /** At most; there is a connection for each. */
  transactions: number;
}

interface Lane {
  clientId: number;
  queue: Waiting[];
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
  transactions: number;
  /** Until everything they took has been answered. */
  running: Set<Promise<void>>;
  dispatching: NodeJS.Immediate | undefined;
  lateCheck: NodeJS.Timeout | undefined;
}

export interface Lanes {
  /** The outcomes, in the order of the commands. Either all of them are queued, or none. */
  submit<K extends CommandKind>(clientId: number, commands: readonly CommandOf<K>[]): Promise<Outcome<Answers[K]>[]>;
  /** Answers what is waiting at once; called when the database is unavailable. */
  refuseAll(): void;
  depth(): number;
  /** Whether anything is waiting or being carried out. */
  isBusy(): boolean;
  /** Resolves when everything taken has been answered. */
  drain(): Promise<void>;
}

const lateCheckMs = 100;

/** Lanes share a transaction as long as it stays this small: a longer one gains nothing, and all wait for all of it. */
const sharedSize = 64;

export function openLanes(resources: LaneResources, settings: LaneSettings, observer: LaneObserver): Lanes {
  const state: State = {
    resources,
    settings,
    observer,
    lanes: new Map(),
    ready: new Set(),
    transactions: 0,
    running: new Set(),
    dispatching: undefined,
    lateCheck: undefined,
  };
  return {
    submit: (clientId, commands) => submit(state, clientId, commands),
    refuseAll: () => refuseAll(state),
    depth: () => depthOf(state),
    isBusy: () => state.lanes.size > 0,
    async drain() {
      while (state.lanes.size + state.running.size > 0) {
        await (state.running.size > 0 ? Promise.all(state.running) : new Promise(setImmediate));
      }
    },
  };
}

async function submit<K extends CommandKind>(
  state: State,
  clientId: number,
  commands: readonly CommandOf<K>[],
): Promise<Outcome<Answers[K]>[]> {
  const { resources, settings, lanes, ready } = state;
  let lane = lanes.get(clientId);
  if (!resources.isDatabaseUp() || (lane?.queue.length ?? 0) + commands.length > settings.queueSize) {
    return commands.map(() => unavailable);
  }
  if (lane === undefined) {
    lane = { clientId, queue: [], runsAlone: false };
    lanes.set(clientId, lane);
    ready.add(lane);
  }
  const { queue } = lane;
  const deadline = performance.now() + settings.deadlineMs;
  const outcomes = commands.map(
    (command) =>
      // A queue holds commands of all kinds; that each is given the answer of its kind is for `decide` to see to.
      new Promise<Outcome<Answers[K]>>((resolve) => {
        queue.push({ command, deadline, answer: resolve as (outcome: Outcome) => void });
      }),
  );
  dispatchSoon(state);
  watchForLate(state);
  return Promise.all(outcomes);
}

/** After the present turn of the event loop, so that the requests it brings make one batch. */
function dispatchSoon(state: State): void {
  if (state.ready.size > 0) state.dispatching ??= setImmediate(dispatch, state);
}

function dispatch(state: State): void {
  state.dispatching = undefined;
  const { ready, running, settings } = state;
  while (ready.size > 0 && state.transactions < settings.transactions) {
    const free = settings.transactions - state.transactions;
    const ended = run(state, takeLanes(state, Math.ceil(ready.size / free)));
    running.add(ended);
    void ended.finally(() => running.delete(ended));
  }
}

/** One lane, and then others while all of them together are short. */
function takeLanes({ ready, settings }: State, most: number): Lane[] {
  const lanes: Lane[] = [];
  let size = 0;
  for (const lane of ready) {
    if (lanes.length > 0 && lane.runsAlone) continue;
    size += lane.queue.length;
    if (lanes.length === most || (lanes.length > 0 && size > Math.min(sharedSize, settings.batchSize))) break;
    lanes.push(lane);
    ready.delete(lane);
    if (lane.runsAlone) break;
  }
  return lanes;
}

async function run(state: State, lanes: Lane[]): Promise<void> {
  const { resources, observer, settings } = state;
  const taken = lanes
    .toSorted((a, b) => a.clientId - b.clientId)
    .map((lane) => ({ lane, clientId: lane.clientId, waiting: lane.queue.splice(0, settings.batchSize) }))
    .filter(({ waiting }) => waiting.length > 0);
  state.transactions++;
  for (const lane of lanes) lane.runsAlone = false;
  const end = onlyOnce(() => {
    state.transactions--;
    for (const lane of lanes) putBack(state, lane);
    dispatch(state);
  });
  if (taken.length > 0 && (await runTransaction(resources, observer, taken, end)) === 'retry_alone') {
    for (const { lane, waiting } of taken) {
      lane.queue.unshift(...waiting);
      lane.runsAlone = true;
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
function putBack({ lanes, ready }: State, lane: Lane): void {
  if (lane.queue.length > 0) ready.add(lane);
  else lanes.delete(lane.clientId);
}

const depthOf = ({ lanes }: State): number => lanes.values().reduce((sum, lane) => sum + lane.queue.length, 0);

function watchForLate(state: State): void {
  state.lateCheck ??= setTimeout(checkForLate, lateCheckMs, state).unref();
}

function checkForLate(state: State): void {
  state.lateCheck = undefined;
  for (const lane of state.lanes.values()) refuseLate(lane.queue);
  if (depthOf(state) > 0) watchForLate(state);
}

function refuseAll({ lanes }: State): void {
  for (const { queue } of lanes.values()) answerAll(queue.splice(0), unavailable);
}
