import assert from 'node:assert/strict';
import { groupsByNode, type NodeGroup, type NodePools } from '../engine/connection.ts';
import { pause, type Repeated, repeat } from '../engine/repeat.ts';
import { ask } from '../engine/statement.ts';
import { findPartnersAfter } from './sql/due.ts';

// Shared by all background work: a loop of rounds, groups of partners within a round, small steps within a group, and
// runs that outlast a round. Several servers may do the same work at the same time.

export interface RoundResources {
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

export interface WorkResources extends RoundResources {
  pools: NodePools;
}

export interface ActiveWorkResources extends WorkResources {
  /** All partners that may have work. */
  active(): ReadonlySet<number>;
}

/** Repeats a round, which may return the pause after it. Skips rounds while the database is unavailable. */
export function startRounds(
  { isDatabaseUp, onFault }: RoundResources,
  pauseMs: number,
  round: (signal: AbortSignal) => Promise<number | undefined> | Promise<void>,
): Repeated {
  return repeat(async (signal) => (isDatabaseUp() ? ((await round(signal)) ?? pauseMs) : pauseMs), {
    pauseMs,
    onFault,
  });
}

/** Works on one group after another and returns the results. A group that fails does not stop the others. */
export async function inGroups<T>(
  { isDatabaseUp, onFault }: RoundResources,
  groups: Iterable<NodeGroup> | AsyncIterable<NodeGroup>,
  signal: AbortSignal,
  work: (group: NodeGroup) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for await (const group of groups) {
    if (signal.aborted || !isDatabaseUp()) break;
    await work(group).then((result) => results.push(result), onFault);
  }
  return results;
}

const breathMs = 50;

/** Repeats a step while it finds more work, with a pause after each step so that requests are not slowed down. */
export async function inSteps(
  { isDatabaseUp }: Pick<RoundResources, 'isDatabaseUp'>,
  signal: AbortSignal,
  step: () => Promise<boolean>,
): Promise<void> {
  let isMore = true;
  while (isMore && !signal.aborted && isDatabaseUp()) {
    isMore = await step();
    await pause(breathMs, signal);
  }
}

const restPerWork = 9;
export const longestRestMs = 1000;

/** How long to pause after work that began then, while requests are under way. */
export const restAfter = (began: number): number => Math.min(restPerWork * (performance.now() - began), longestRestMs);

/** Work for one partner that lasts until it completes or is stopped. `ended` never rejects. */
export interface Run {
  stop(): void;
  ended: Promise<void>;
}

/** Keeps at most one run per partner. */
export function keepRuns<R extends Run>(onFault: (error: unknown) => void) {
  const runs = new Map<number, R>();
  return {
    all: runs as ReadonlyMap<number, R>,
    start(clientId: number, run: R): void {
      runs.set(clientId, run);
      run.ended.finally(() => runs.delete(clientId)).catch(onFault);
    },
    async stop(): Promise<void> {
      for (const run of runs.values()) run.stop();
      await Promise.all(runs.values().map(({ ended }) => ended));
    },
  };
}

const partnersAtATime = 1000;

/** Iterates over all partners in groups, for rare work. */
export async function* walkPartners(
  { pools, isDatabaseUp }: Pick<WorkResources, 'pools' | 'isDatabaseUp'>,
  signal: AbortSignal,
): AsyncGenerator<NodeGroup> {
  let walked: number | undefined = 0;
  while (walked !== undefined) {
    if (signal.aborted || !isDatabaseUp()) return;
    const next: number[] = await ask(pools.usual, findPartnersAfter(walked, partnersAtATime));
    yield* groupsByNode(pools, next);
    walked = next.at(-1);
  }
}

// A lease is a row with a holder and an end time, so that only one server does a piece of work. Each write of the
// holder succeeds only while the row names this holder, and renews the lease in the same statement.
//
//   HELD ──▶ LOST    a write or a poll found another holder, or the holder must not continue
//   HELD ──▶ ENDED   given back
//
// An expired lease is not lost: the holder can renew it until another server takes it. Because that may happen at any
// moment after expiry, a lease becomes doubtful some time before it expires, and the holder of a doubtful lease begins
// no new work.

export interface LeaseTimes {
  lastsMs: number;
  renewMs: number;
  /** A lease that was not renewed for this long is doubtful. */
  doubtMs: number;
}

/** Writes the row of a lease. Times are the database's. */
export interface LeaseRow<Terms> {
  /** Undefined if another server holds the lease, or it is unavailable. */
  take(holder: string, lastsMs: number): Promise<Terms | undefined>;
  giveBack(holder: string): Promise<unknown>;
}

export interface Lease {
  holder: string;
  /** Measured on the monotonic clock of this process, like all times of a lease. */
  takenAt: number;
  isHeld(): boolean;
  isDoubtful(): boolean;
  /** Time until the next renewal; 0 or less if renewal is due. */
  renewalInMs(): number;
  /**
   * Writes, and retries while `mayTryAgain` allows it. If the write fails, because of another holder or a fault, the
   * lease is lost, so that no later write can skip the failed one.
   */
  renew<T>(write: LeaseWrite<T>, mayTryAgain: (error: unknown) => boolean): Promise<T | undefined>;
  lose(): void;
  giveBack(): Promise<void>;
}

/** Undefined if the row names another holder. */
export type LeaseWrite<T> = (holder: string, lastsMs: number) => Promise<T | undefined>;

const retryMs = 200;

/** Undefined if the lease is unavailable. Calls `onLost` at most once. */
export async function takeLease<Terms>(
  row: LeaseRow<Terms>,
  holder: string,
  { lastsMs, renewMs, doubtMs }: LeaseTimes,
  onLost: () => void,
): Promise<{ lease: Lease; terms: Terms } | undefined> {
  assert(
    renewMs < doubtMs && doubtMs < lastsMs,
    'a lease is renewed before it is doubtful, and doubtful before it ends',
  );
  // Measures from before the statement: the response may be late, or the process frozen when it arrives.
  let renewedAt = performance.now();
  const terms = await row.take(holder, lastsMs);
  if (terms === undefined) return undefined;
  let state: 'HELD' | 'LOST' | 'ENDED' = 'HELD';
  const takenAt = performance.now();
  const isHeld = () => state === 'HELD';
  const ageMs = () => performance.now() - renewedAt;
  const lose = () => {
    if (!isHeld()) return;
    state = 'LOST';
    onLost();
  };
  const renew: Lease['renew'] = async (write, mayTryAgain) => {
    assert(isHeld(), 'only the holder writes');
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      return write(holder, lastsMs);
    };
    try {
      const written = await retryWhileAllowed(send, (error) => isHeld() && mayTryAgain(error));
      if (written === undefined) lose();
      else renewedAt = sentAt;
      return written;
    } catch (error) {
      lose();
      throw error;
    }
  };
  const giveBack = async () => {
    assert(state !== 'ENDED', 'a lease is given back once');
    state = 'ENDED';
    await row.giveBack(holder);
  };
  const renewalInMs = () => renewMs - ageMs();
  const isDoubtful = () => ageMs() > doubtMs;
  return { lease: { holder, takenAt, isHeld, isDoubtful, renewalInMs, renew, lose, giveBack }, terms };
}

async function retryWhileAllowed<T>(write: () => Promise<T>, mayTryAgain: (error: unknown) => boolean): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!mayTryAgain(error)) throw error;
      await pause(retryMs);
    }
  }
}
