import { randomUUID } from 'node:crypto';
import { type BackgroundWork, repeat } from '../background/repeat.ts';
import { ask } from '../db/statement.ts';
import { findJobsToCarryOut } from '../sql/job-work.ts';
import { type RunnerResources, runJob } from './runner.ts';

// Sees to it that every job whose turn it is is carried out, on one of the servers. Each server polls for jobs that no other
// has taken. The jobs of one partner run one after the other, those of several partners side by side.

export interface JobsResources extends RunnerResources {
  isDatabaseUp(): boolean;
}

export interface JobsWork extends BackgroundWork {
  /** How many jobs are being carried out here. */
  running(): number;
}

const pollMs = 250;
/** Each has one part in memory, of 5000 items and a mebibyte at most. */
const mostAtATime = 64;

export function startJobs(resources: JobsResources): JobsWork {
  const { pool, isDatabaseUp, observer } = resources;
  // One for the whole process: what it still has, though it could not give it back, it may take up again at once.
  const holder = randomUUID();
  const stopping = new AbortController();
  /** By partner. */
  const runners = new Map<number, Promise<void>>();

  const start = (clientId: number, jobId: string) => {
    const ended = runJob(resources, clientId, jobId, holder, stopping.signal);
    runners.set(clientId, ended);
    void ended.finally(() => runners.delete(clientId));
  };

  const poll = async (signal: AbortSignal) => {
    if (!isDatabaseUp()) return;
    for (const { client_id, job_id } of await ask(pool, findJobsToCarryOut(holder))) {
      if (signal.aborted || runners.size >= mostAtATime) return;
      if (!runners.has(client_id)) start(client_id, job_id);
    }
  };

  const polling = repeat(poll, { pauseMs: pollMs, onFault: observer.fault });
  return {
    running: () => runners.size,
    async stop() {
      stopping.abort();
      await polling.stop();
      await Promise.all(runners.values());
    },
  };
}
