import type { Pool } from 'pg';
import { type Outcome, refuse } from '../primitives/outcome.ts';

// Who may read now, ask for a report, add a part to a job, or play a round in a sandbox. Connections for reads are few, and a caller that asks for much must not keep the others from theirs: one
// caller has half of the turns at most, callers take turns, and each may have only so many reads waiting. Everything
// happens on one thread, between awaits; `start` and `end` are the only ones to change who runs.

export interface ReadTurns {
  /**
   * Undefined when the caller has too many waiting, the read had to wait for too long, or was put out for another caller; then
   * it was not begun.
   */
  take<T>(caller: string, read: () => Promise<T>): Promise<T | undefined>;
  /** Whether the caller may have one more waiting. */
  hasRoom(caller: string): boolean;
}

export interface ReadTurnsSettings {
  /** Reads at a time; there is a connection for each. */
  turns: number;
  /** How many reads of a caller may wait. */
  queueSize: number;
  deadlineMs: number;
  /** How many may wait of all callers together. Beyond it, one of the caller that has most waiting is put out. */
  waitingInAll?: number;
}

interface Waiting {
  deadline: number;
  /** From when it has to wait until its deadline. */
  timer?: NodeJS.Timeout;
  /** Whether its turn has come, in time. */
  go(isInTime: boolean): void;
}

interface Caller {
  running: number;
  waiting: Waiting[];
}

export function openReadTurns(settings: ReadTurnsSettings): ReadTurns {
  const { turns, queueSize, deadlineMs, waitingInAll = Number.POSITIVE_INFINITY } = settings;
  /** The one whose turn is the longest ago stands first. */
  const callers = new Map<string, Caller>();
  const turnsOfOne = Math.ceil(turns / 2);
  let running = 0;
  let waitingNow = 0;

  const mayStart = ({ running: own, waiting }: Caller) => waiting.length > 0 && own < turnsOfOne;

  const start = () => {
    for (const [name, caller] of callers) {
      if (running >= turns) return;
      if (!mayStart(caller)) continue;
      const { deadline, timer, go } = caller.waiting.shift() as Waiting;
      clearTimeout(timer);
      waitingNow--;
      const isInTime = performance.now() < deadline;
      if (isInTime) {
        running++;
        caller.running++;
      }
      callers.delete(name);
      // Behind the others, where this walk comes by once more, if there is a turn left by then.
      if (caller.running + caller.waiting.length > 0) callers.set(name, caller);
      go(isInTime);
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
    waiting.go(false);
  };

  const turnOf = (name: string, caller: Caller) =>
    new Promise<boolean>((go) => {
      const waiting: Waiting = { deadline: performance.now() + deadlineMs, go };
      caller.waiting.push(waiting);
      callers.set(name, caller);
      waitingNow++;
      start();
      if (waitingNow > waitingInAll) giveUp(...lastOfMost(callers));
      // Those under way may last for longer than it can wait.
      if (caller.waiting.at(-1) === waiting) waiting.timer = setTimeout(giveUp, deadlineMs, name, caller, waiting);
    });

  return {
    hasRoom: (name) => (callers.get(name)?.waiting.length ?? 0) < queueSize,
    async take(name, read) {
      const caller = callers.get(name) ?? { running: 0, waiting: [] };
      if (caller.waiting.length >= queueSize) return undefined;
      if (!(await turnOf(name, caller))) return undefined;
      try {
        return await read();
      } finally {
        end(name, caller);
      }
    },
  };
}

/** The last that waits of the caller with most waiting. */
function lastOfMost(callers: Map<string, Caller>): [string, Caller, Waiting] {
  const [name, caller] = [...callers].reduce((most, each) =>
    each[1].waiting.length > most[1].waiting.length ? each : most,
  );
  return [name, caller, caller.waiting.at(-1) as Waiting];
}

/** What a handler needs in order to read the rows of a partner. */
export interface ReadServices {
  isDatabaseUp(): boolean;
  /** Connections to the node with the rows of this partner. */
  readsOf(clientId: number): Pool;
  readTurnsOf(clientId: number): ReadTurns;
}

/** Refuses if the read could not begin. While the database is unavailable that is known at once, as in the lanes. */
export async function readInTurn<T>(
  { services, caller }: { services: ReadServices; caller: string },
  clientId: number,
  read: (pool: Pool) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const { isDatabaseUp, readsOf, readTurnsOf } = services;
  if (!isDatabaseUp()) return refuse('unavailable');
  return (await readTurnsOf(clientId).take(caller, () => read(readsOf(clientId)))) ?? refuse('unavailable');
}
