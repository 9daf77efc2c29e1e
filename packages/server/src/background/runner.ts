import assert from 'node:assert/strict';
import { groupsByNode, type NodeGroup, type NodePools } from '../engine/connection.ts';
import { pause, type Repeated, repeat } from '../engine/repeat.ts';
import { ask } from '../engine/statement.ts';
import { findPartnersAfter } from './sql/due.ts';

// What all background work shares: a loop of rounds, groups of partners within a round, small steps within a group, and long runs
// that outlast a round. Several servers may do the same work at the same time.

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

/** Works on one group after another, and returns the results. A group that fails is left out and does not stop the others. */
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

/** Repeats a step while it finds more to do, with a rest after each, so that requests are not slowed down. */
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

/** The rest after work that began then, while requests are under way. */
export const restAfter = (began: number): number => Math.min(restPerWork * (performance.now() - began), longestRestMs);

/** Work for one partner that lasts until it ends by itself or is stopped. `ended` never rejects. */
export interface Run {
  stop(): void;
  ended: Promise<void>;
}

/** Runs of many partners, at most one for each. */
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

/** All partners, in groups; for rare work. */
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

// A lease is a row with a holder and an end, so that of all servers one does a piece of work. Whatever its holder writes is
// written only while the row names it, and renews the lease in the same statement.
//
//   HELD ──▶ LOST    a write or a poll found another holder, or the holder may not go on
//   HELD ──▶ ENDED   given back
//
// That its time is over does not lose a lease: as long as nobody else has taken it, it can be renewed. But then another may
// take it at any moment, so it is doubtful some time before, and its holder begins nothing.

export interface LeaseTimes {
  lastsMs: number;
  renewMs: number;
  /** Not renewed for longer, it is doubtful. */
  doubtMs: number;
}

/** How the row is written. Both name the holder; times are the database's. */
export interface LeaseRow<Terms> {
  /** Undefined when another has it, or it is not to be had. */
  take(holder: string, lastsMs: number): Promise<Terms | undefined>;
  giveBack(holder: string): Promise<unknown>;
}

export interface Lease {
  holder: string;
  /** On the clock of this process, as all its times. */
  takenAt: number;
  isHeld(): boolean;
  isDoubtful(): boolean;
  /** Until it is to be renewed; not more than 0 when it is time. */
  renewalInMs(): number;
  /**
   * Writes, and tries again as long as it may. When nothing was written, because the row names another or because of a
   * fault, the lease is lost: what was to be written must not be passed over by something later.
   */
  renew<T>(write: LeaseWrite<T>, mayTryAgain: (error: unknown) => boolean): Promise<T | undefined>;
  lose(): void;
  giveBack(): Promise<void>;
}

/** Undefined when the row names another. */
export type LeaseWrite<T> = (holder: string, lastsMs: number) => Promise<T | undefined>;

const retryMs = 200;

/** Undefined when it is not to be had. `onLost` is called once at most. */
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
  // It is as old as the statement that was sent for it: the answer may be late, or this process frozen when it comes.
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
      const written = await insist(send, (error) => isHeld() && mayTryAgain(error));
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

async function insist<T>(write: () => Promise<T>, mayTryAgain: (error: unknown) => boolean): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!mayTryAgain(error)) throw error;
      await pause(retryMs);
    }
  }
}
