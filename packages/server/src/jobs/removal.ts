import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import { ask } from '../db/statement.ts';
import { abandonJobs, clearJob, findJobToClear } from '../sql/job-work.ts';

// Removes jobs that were left open, and the parts of those that were stopped, which nobody will carry out. In small steps with
// a rest after each, so that nobody notices. Servers may do it at the same time: what one has removed the other finds gone.

export interface RemovalResources {
  pool: Pool;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

/** Of a mebibyte each, at most. */
const partsAtATime = 10;
const breathMs = 50;

export function startJobRemoval({ pool, isDatabaseUp, onFault }: RemovalResources, pauseMs: number): BackgroundWork {
  const removeAll = async (signal: AbortSignal) => {
    if (!isDatabaseUp()) return;
    await abandonJobs(pool);
    while (!signal.aborted && isDatabaseUp()) {
      const job = await ask(pool, findJobToClear());
      if (job === undefined) return;
      await clearJob(pool, job, partsAtATime);
      await pause(breathMs, signal);
    }
  };
  return repeat(removeAll, { pauseMs, onFault });
}
