import { refuse } from '../primitives/outcome.ts';
import { type LaneObserver, type LaneResources, noDeadline, type Waiting } from './attempts.ts';

// Chooses the lanes of the next transaction, and takes their commands.

export interface LaneSettings {
  batchSize: number;
  queueSize: number;
  deadlineMs: number;
  /** The most transactions per pool. Each has a connection. */
  transactions: number;
  /**
   * How many of these transactions short lanes may use at a time. Fewer transactions have more partners each, which
   * costs the database less: with two instead of three, a hundred partners got 1.3 to 1.4 times the throughput. The
   * other connections are for lanes that are long or run alone.
   */
  shortLaneTransactions: number;
}

/**
 * What a transaction is for: short lanes, a lane by itself (a long one, one that runs alone, or low-priority work), or a
 * lane that was postponed and now waits for its partner.
 */
export type Use = 'short' | 'long' | 'postponed';

export interface LowPriority extends Pick<Waiting, 'complete'> {
  make(room: number): unknown;
}

export interface Lane {
  clientId: number;
  queue: Waiting[];
  lowPriority: LowPriority[];
  /** When the lane last joined `readyLowPriority`. */
  waitsSince: number;
  /** The lane gets its next transaction alone, because another transaction held its partner for too long. */
  runsAlone: boolean;
  /** How many transactions in a row have not run the lane's commands, mostly because its partner was locked. */
  timesPostponed: number;
}

export interface State {
  resources: LaneResources;
  settings: LaneSettings;
  observer: LaneObserver;
  lanes: Map<number, Lane>;
  /** Lanes with urgent commands and no transaction, in the order of service. */
  ready: Set<Lane>;
  /** Lanes with only low-priority work and no transaction, the one that has waited longest first. */
  readyLowPriority: Set<Lane>;
  /** Partners that made a shared transaction fail, and until when each of them runs alone. */
  aloneUntil: Map<number, number>;
  /** The transactions by their use. */
  inUse: Record<Use, number>;
  /** How many of the transactions have urgent commands. */
  urgentTransactions: number;
  /** The urgent commands of the latest transaction that had some, and when it began or ended. */
  urgent: { count: number; at: number };
  isDraining: boolean;
  /** Transactions, until all their commands have outcomes. */
  running: Set<Promise<void>>;
  dispatching: NodeJS.Immediate | undefined;
  lateCheck: NodeJS.Timeout | undefined;
}

export const transactionsOf = ({ inUse: { short, long, postponed } }: State): number => short + long + postponed;

/** The most commands of lanes that share a transaction. A larger one gains little, and every lane waits for it. */
const sharedSize = 128;

/** The least room offered to low-priority work, so that it proceeds even while requests arrive one by one. */
export const leastRoom = 16;
/** How long low-priority work waits while urgent commands use all transactions. */
const lowPriorityWaitMs = 250;
/** Clients that wait for each response send the next request within this time, so a lane stays urgent for as long. */
const urgentForMs = 20;

/** A lane whose low-priority work has waited too long. One at a time, so that urgent commands lose one transaction. */
export function takeOverdueLane(state: State): Lane | undefined {
  const { readyLowPriority, urgentTransactions, settings } = state;
  const transactions = transactionsOf(state);
  if (transactions >= settings.transactions || transactions > urgentTransactions) return undefined;
  const [longest] = readyLowPriority;
  if (longest === undefined || performance.now() - longest.waitsSince < lowPriorityWaitMs) return undefined;
  readyLowPriority.delete(longest);
  return longest;
}

/**
 * Takes the lanes of the next transaction: a lane that is long or runs alone, or several short ones. Takes none if the
 * ready lanes already use all transactions that they may have.
 */
export function takeLanes(state: State): { lanes: Lane[]; use: Use } {
  const { ready, settings, resources, inUse } = state;
  const nodeOf = ({ clientId }: Lane) => resources.pools.nodes().of(clientId);
  const sizeOf = (lane: Lane) => lane.queue.length + (lane.lowPriority.length > 0 ? roomIn(state, lane) : 0);
  const mostSize = Math.min(sharedSize, settings.batchSize);
  const shortLimit = Math.min(settings.shortLaneTransactions, settings.transactions);
  const freeShort = shortLimit - inUse.short;
  const mayWait = inUse.postponed < Math.max(1, settings.transactions - shortLimit);
  const mostLanes = Math.ceil(ready.size / freeShort);
  const lanes: Lane[] = [];
  let size = 0;
  for (const lane of ready) {
    const [first] = lanes;
    if (isAlone(state, lane) || sizeOf(lane) > mostSize) {
      if (first !== undefined || (lane.timesPostponed > 0 && !mayWait)) continue;
      ready.delete(lane);
      return { lanes: [lane], use: lane.timesPostponed > 0 ? 'postponed' : 'long' };
    }
    if (freeShort <= 0 || (first !== undefined && nodeOf(lane) !== nodeOf(first))) continue;
    size += sizeOf(lane);
    if (lanes.length === mostLanes || size > mostSize) break;
    lanes.push(lane);
    ready.delete(lane);
  }
  return { lanes, use: 'short' };
}

/** The room for low-priority work: half the number of urgent commands, in this lane now or in any lane recently. */
function roomIn({ urgent, settings: { batchSize } }: State, { queue }: Lane): number {
  const recentCount = performance.now() - urgent.at < urgentForMs ? urgent.count : 0;
  const urgentCount = Math.min(Math.max(queue.length, recentCount), batchSize);
  return urgentCount === 0 ? batchSize : Math.min(Math.max(leastRoom, Math.ceil(urgentCount / 2)), batchSize);
}

/** The urgent commands, then one low-priority command. */
export function takeFrom(state: State, lane: Lane, mostRoom: number): Waiting[] {
  const room = Math.min(roomIn(state, lane), mostRoom);
  const waiting = lane.queue.splice(0, state.settings.batchSize);
  const lowPriority = lane.lowPriority.shift();
  const made = lowPriority && makeLowPriority(state, lane, lowPriority, room);
  return made === undefined ? waiting : [...waiting, made];
}

/** A failure here fails only this command: the urgent commands have left the queue and must still run. */
function makeLowPriority({ observer }: State, lane: Lane, lowPriority: LowPriority, room: number): Waiting | undefined {
  const { make, complete } = lowPriority;
  try {
    return {
      command: make(room),
      deadline: noDeadline,
      complete,
      requeue: () => lane.lowPriority.unshift(lowPriority),
    };
  } catch (error) {
    observer.fault(error);
    complete(refuse('internal_error'));
    return undefined;
  }
}

const isAlone = ({ aloneUntil }: State, { clientId, runsAlone }: Lane): boolean =>
  runsAlone || (aloneUntil.get(clientId) ?? 0) > performance.now();
