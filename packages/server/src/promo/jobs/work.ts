import { randomUUID } from 'node:crypto';
import { type ActiveWorkResources, inGroups, keepRuns, startRounds } from '../../background/runner.ts';
import { groupsByNode, type NodeGroup, oneNodeAtATime, poolFor } from '../../engine/connection.ts';
import type { BackgroundWork } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { type RunnerResources, runJob } from './runner.ts';
import { byWaitingTime, findPartnersWithJobs, findRunnableJobs, type JobFound } from './sql/work.ts';

// Runs due jobs. Each server polls for jobs that no other server has taken. The jobs of one partner run one after
// another; those of different partners run in parallel.

export type JobsResources = Omit<ActiveWorkResources, 'onFault'> & Omit<RunnerResources, 'pool'>;

export interface JobsWork extends BackgroundWork {
  /** How many jobs run on this server. */
  running(): number;
}

const pollMs = 250;
/** Each running job holds one part in memory, at most 5,000 items and 1 MiB. */
const maxRunning = 64;

export function startJobs(resources: JobsResources): JobsWork {
  const { pools, isDatabaseUp, active, observer } = resources;
  const rounds = { isDatabaseUp, onFault: observer.fault };
  // One holder per process, so that it can immediately retake a job that it failed to give back.
  const holder = randomUUID();
  const runs = keepRuns(observer.fault);
  /** Due jobs for which this server has no free slot. */
  let waiting = 0;
  /** One running job gives up its slot for each waiting job. */
  const yieldsSlot = () => {
    const isWaitedFor = waiting > 0;
    if (isWaitedFor) waiting--;
    return isWaitedFor;
  };

  const start = ({ client_id, job_id }: JobFound) => {
    const stopping = new AbortController();
    const own = { ...resources, pool: poolFor(pools, client_id) };
    const ended = runJob(own, client_id, job_id, holder, yieldsSlot, stopping.signal);
    runs.start(client_id, { ended, stop: () => stopping.abort() });
  };

  const pollAmong = async ({ pool, clientIds }: NodeGroup): Promise<JobFound[]> => {
    const ranBefore = [...runs.all].filter(([clientId]) => clientIds.includes(clientId));
    const due = new Set(await ask(pool, findPartnersWithJobs(clientIds)));
    const found = due.size > 0 ? await ask(pool, findRunnableJobs(holder, [...due])) : [];
    const partners = new Set(found.map(({ client_id }) => client_id));
    // Stops runs that have nothing to do: the job is over, another server has it, or the partner is disabled.
    for (const [clientId, { stop }] of ranBefore) if (!partners.has(clientId)) stop();
    return found;
  };

  const nextOf = oneNodeAtATime(pools);
  const polling = startRounds(rounds, pollMs, async (signal) => {
    const all = new Set([...active(), ...runs.all.keys()]);
    // If jobs wait for a slot, all nodes are polled, so that the job that waited longest comes first.
    const groups = waiting > 0 ? groupsByNode(pools, all) : nextOf(all);
    const found = (await inGroups(rounds, groups, signal, pollAmong)).flat();
    if (signal.aborted || !isDatabaseUp()) return;
    const fresh = found.filter(({ client_id }) => !runs.all.has(client_id)).sort(byWaitingTime);
    const places = maxRunning - runs.all.size;
    fresh.slice(0, places).forEach(start);
    waiting = Math.max(0, fresh.length - places);
  });

  return {
    running: () => runs.all.size,
    async stop() {
      await Promise.all([polling.stop(), runs.stop()]);
    },
  };
}
