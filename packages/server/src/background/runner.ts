import { groupsByNode, type NodeGroup, type NodePools } from '../engine/nodes.ts';
import { type BackgroundWork, pause, type Repeated, repeat } from '../engine/repeat.ts';
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
  awake(): ReadonlySet<number>;
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
export interface Run extends BackgroundWork {
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
      await Promise.all(runs.values().map((run) => run.stop()));
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
