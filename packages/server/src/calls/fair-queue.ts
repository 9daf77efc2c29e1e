import type { Pool } from 'pg';
import { type Outcome, refuse } from '../primitives/outcome.ts';

// A queue for slow work, such as reads, reports, parts of jobs and rounds in sandboxes. Callers take turns. One caller
// has at most half of the turns and a limited number of waiting tasks. Everything happens on one thread, between
// awaits; only `start` and `end` change which tasks run.

export interface FairQueue {
  /**
   * Undefined if the task did not start, because too many tasks of this caller or of all callers were waiting, or it
   * waited for too long.
   */
  take<T>(caller: string, task: () => Promise<T>): Promise<T | undefined>;
  /** Whether one more task of the caller may wait. */
  hasRoom(caller: string): boolean;
}

export interface FairQueueSettings {
  /** How many tasks run at a time. */
  turns: number;
  /** How many tasks of a caller may wait. */
  queueSize: number;
  deadlineMs: number;
  /** How many tasks of all callers may wait. Above that, the last task of the caller with the most is refused. */
  waitingInAll?: number;
}

interface Waiting {
  deadline: number;
  timer?: NodeJS.Timeout;
  settle(isInTime: boolean): void;
}

interface Caller {
  running: number;
  waiting: Waiting[];
}

export function openFairQueue(settings: FairQueueSettings): FairQueue {
  const { turns, queueSize, deadlineMs, waitingInAll = Number.POSITIVE_INFINITY } = settings;
  /** The least recently served first. */
  const callers = new Map<string, Caller>();
  const turnsOfOne = Math.ceil(turns / 2);
  let running = 0;
  let waitingNow = 0;

  const mayStart = ({ running: own, waiting }: Caller) => waiting.length > 0 && own < turnsOfOne;

  const start = () => {
    for (const [name, caller] of callers) {
      if (running >= turns) return;
      if (!mayStart(caller)) continue;
      const { deadline, timer, settle } = caller.waiting.shift() as Waiting;
      clearTimeout(timer);
      waitingNow--;
      const isInTime = performance.now() < deadline;
      if (isInTime) {
        running++;
        caller.running++;
      }
      callers.delete(name);
      // Moved to the end, where this loop finds it again if a turn is left.
      if (caller.running + caller.waiting.length > 0) callers.set(name, caller);
      settle(isInTime);
    }
  };

  const end = (name: string, caller: Caller) => {
    running--;
    caller.running--;
    if (caller.running + caller.waiting.length === 0) callers.delete(name);
    start();
  };

  const giveUp = (name: string, caller: Caller, waiting: Waiting) => {
    clearTimeout(waiting.timer);
    caller.waiting.splice(caller.waiting.indexOf(waiting), 1);
    waitingNow--;
    if (caller.running + caller.waiting.length === 0) callers.delete(name);
    waiting.settle(false);
  };

  const turnOf = (name: string, caller: Caller) =>
    new Promise<boolean>((settle) => {
      const waiting: Waiting = { deadline: performance.now() + deadlineMs, settle };
      caller.waiting.push(waiting);
      callers.set(name, caller);
      waitingNow++;
      start();
      if (waitingNow > waitingInAll) giveUp(...lastOfMost(callers));
      // Running tasks may take longer than it may wait.
      if (caller.waiting.at(-1) === waiting) waiting.timer = setTimeout(giveUp, deadlineMs, name, caller, waiting);
    });

  return {
    hasRoom: (name) => (callers.get(name)?.waiting.length ?? 0) < queueSize,
    async take(name, task) {
      const caller = callers.get(name) ?? { running: 0, waiting: [] };
      if (caller.waiting.length >= queueSize) return undefined;
      if (!(await turnOf(name, caller))) return undefined;
      try {
        return await task();
      } finally {
        end(name, caller);
      }
    },
  };
}

/** The last waiting task of the caller with the most. */
function lastOfMost(callers: Map<string, Caller>): [string, Caller, Waiting] {
  const [name, caller] = [...callers].reduce((most, each) =>
    each[1].waiting.length > most[1].waiting.length ? each : most,
  );
  return [name, caller, caller.waiting.at(-1) as Waiting];
}

/** What a handler needs to read the rows of a partner. */
export interface ReadServices {
  isDatabaseUp(): boolean;
  /** Connections to the node with the rows of this partner. */
  readsOf(clientId: number): Pool;
  readTurnsOf(clientId: number): FairQueue;
}

/** Refuses if the read could not start, and at once while the database is unavailable. */
export async function readInTurn<T>(
  { services, caller }: { services: ReadServices; caller: string },
  clientId: number,
  read: (pool: Pool) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const { isDatabaseUp, readsOf, readTurnsOf } = services;
  if (!isDatabaseUp()) return refuse('unavailable');
  return (await readTurnsOf(clientId).take(caller, () => read(readsOf(clientId)))) ?? refuse('unavailable');
}
