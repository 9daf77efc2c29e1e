import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import { type Group, inGroups } from '../db/machines.ts';
import { ask } from '../db/statement.ts';
import { type WalkResources, walkPartners } from '../due/walk.ts';
import { abandonJobs, clearJob, findJobToClear } from '../sql/job-work.ts';

// Removes jobs that were left open, and the parts of those that were stopped, which nobody will carry out. In small steps with
// a rest after each, so that nobody notices. Whoever is awake is asked about every minute: so the parts of a job that was stopped are
// gone soon. What is left, such as a job that was left open, is found by a walk over all partners. Servers may do it at the same time:
// what one has removed the other finds gone.

export interface RemovalResources extends WalkResources {
  /** Whoever has just stopped a job, or moved a clock, is among them. */
  awake(): ReadonlySet<number>;
  onFault(error: unknown): void;
}

export interface RemovalTimes {
  pauseMs: number;
  walkPauseMs: number;
}

/** Of a mebibyte each, at most. */
const partsAtATime = 10;
const breathMs = 50;

export function startJobRemoval(resources: RemovalResources, { pauseMs, walkPauseMs }: RemovalTimes): BackgroundWork {
  const { pools, awake, isDatabaseUp, onFault } = resources;
  const removeAmong = async ({ pool, clientIds }: Group, signal: AbortSignal) => {
    await abandonJobs(pool, clientIds);
    while (!signal.aborted && isDatabaseUp()) {
      const job = await ask(pool, findJobToClear(clientIds));
      if (job === undefined) return;
      await clearJob(pool, job, partsAtATime);
      await pause(breathMs, signal);
    }
  };
  const removeSoon = async (signal: AbortSignal) => {
    for (const group of inGroups(pools, awake())) {
      if (signal.aborted || !isDatabaseUp()) return;
      await removeAmong(group, signal).catch(onFault);
    }
  };
  const removeAll = async (signal: AbortSignal) => {
    for await (const group of walkPartners(resources, signal)) await removeAmong(group, signal).catch(onFault);
  };
  const loops = [repeat(removeSoon, { pauseMs, onFault }), repeat(removeAll, { pauseMs: walkPauseMs, onFault })];
  return {
    async stop() {
      await Promise.all(loops.map((each) => each.stop()));
    },
  };
}
