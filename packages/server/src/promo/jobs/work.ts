import { randomUUID } from 'node:crypto';
import { groupsByNode, type NodeGroup, type NodePools, oneNodeAtATime, poolFor } from '../../engine/nodes.ts';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { type RunnerResources, runJob } from './runner.ts';
import { byTurn, findJobsToCarryOut, findPartnersWithJobs, type JobFound } from './sql/work.ts';

// Sees to it that every job whose turn it is is carried out, on one of the servers. Each server polls for jobs that no other
// has taken. The jobs of one partner run one after the other, those of several partners side by side.

export interface JobsResources extends Omit<RunnerResources, 'pool'> {
  pools: NodePools;
  /** Whoever may have a job to be carried out is among them. */
  awake(): ReadonlySet<number>;
  isDatabaseUp(): boolean;
}

export interface JobsWork extends BackgroundWork {
  /** How many jobs are being carried out here. */
  running(): number;
}

interface Runner {
  ended: Promise<void>;
  stopping: AbortController;
}

const pollMs = 250;
/** Each has one part in memory, of 5000 items and a mebibyte at most. */
const mostAtATime = 64;

export function startJobs(resources: JobsResources): JobsWork {
  const { pools, isDatabaseUp, awake, observer } = resources;
  // One for the whole process: what it still has, though it could not give it back, it may take up again at once.
  const holder = randomUUID();
  /** By partner. */
  const runners = new Map<number, Runner>();
  /** Jobs that found no place here. */
  let waiting = 0;
  /** For each of them one that has a place gives it up. */
  const givesWay = () => {
    const isWaitedFor = waiting > 0;
    if (isWaitedFor) waiting--;
    return isWaitedFor;
  };

  const start = (clientId: number, jobId: string) => {
    const stopping = new AbortController();
    const own = { ...resources, pool: poolFor(pools, clientId) };
    const ended = runJob(own, clientId, jobId, holder, givesWay, stopping.signal);
    runners.set(clientId, { ended, stopping });
    ended.finally(() => runners.delete(clientId)).catch(observer.fault);
  };

  const nextOf = oneNodeAtATime(pools);
  const poll = async (signal: AbortSignal) => {
    const found: JobFound[] = [];
    const all = new Set([...awake(), ...runners.keys()]);
    // Where some wait for a place, it is the turn of whoever waits longest, on whichever node.
    for (const group of waiting > 0 ? groupsByNode(pools, all) : nextOf(all)) {
      if (!isDatabaseUp()) return;
      found.push(...((await pollAmong(group).catch(observer.fault)) ?? []));
      if (signal.aborted) return;
    }
    const fresh = found.filter(({ client_id }) => !runners.has(client_id)).sort(byTurn);
    const places = mostAtATime - runners.size;
    for (const { client_id, job_id } of fresh.slice(0, places)) start(client_id, job_id);
    waiting = Math.max(0, fresh.length - places);
  };

  const pollAmong = async ({ pool, clientIds }: NodeGroup): Promise<JobFound[]> => {
    const ranBefore = [...runners].filter(([clientId]) => clientIds.includes(clientId));
    const due = new Set(await ask(pool, findPartnersWithJobs(clientIds)));
    const found = due.size > 0 ? await ask(pool, findJobsToCarryOut(holder, [...due])) : [];
    const partners = new Set(found.map(({ client_id }) => client_id));
    // Nothing is left to do for them here: the job is over, another has it, or the partner is disabled.
    for (const [clientId, { stopping }] of ranBefore) if (!partners.has(clientId)) stopping.abort();
    return found;
  };

  const polling = repeat(poll, { pauseMs: pollMs, onFault: observer.fault });
  return {
    running: () => runners.size,
    async stop() {
      const stopped = polling.stop();
      for (const { stopping } of runners.values()) stopping.abort();
      await stopped;
      await Promise.all(runners.values().map(({ ended }) => ended));
    },
  };
}
