import { randomUUID } from 'node:crypto';
import { type ActiveWorkResources, inGroups, keepRuns, startRounds } from '../../background/runner.ts';
import { groupsByNode, type NodeGroup, oneNodeAtATime, poolFor } from '../../engine/connection.ts';
import type { BackgroundWork } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { type RunnerResources, runJob } from './runner.ts';
import { byTurn, findJobsToCarryOut, findPartnersWithJobs, type JobFound } from './sql/work.ts';

// Sees to it that every job whose turn it is is carried out, on one of the servers. Each server polls for jobs that no other
// has taken. The jobs of one partner run one after the other, those of several partners side by side.

export type JobsResources = Omit<ActiveWorkResources, 'onFault'> & Omit<RunnerResources, 'pool'>;

export interface JobsWork extends BackgroundWork {
  /** How many jobs are being carried out here. */
  running(): number;
}

const pollMs = 250;
/** Each has one part in memory, of 5000 items and a mebibyte at most. */
const mostAtATime = 64;

export function startJobs(resources: JobsResources): JobsWork {
  const { pools, isDatabaseUp, active, observer } = resources;
  const rounds = { isDatabaseUp, onFault: observer.fault };
  // One for the whole process: what it still has, though it could not give it back, it may take up again at once.
  const holder = randomUUID();
  const runs = keepRuns(observer.fault);
  /** Jobs that found no place here. */
  let waiting = 0;
  /** For each of them one that has a place gives it up. */
  const givesWay = () => {
    const isWaitedFor = waiting > 0;
    if (isWaitedFor) waiting--;
    return isWaitedFor;
  };

  const start = ({ client_id, job_id }: JobFound) => {
    const stopping = new AbortController();
    const own = { ...resources, pool: poolFor(pools, client_id) };
    const ended = runJob(own, client_id, job_id, holder, givesWay, stopping.signal);
    runs.start(client_id, { ended, stop: () => stopping.abort() });
  };

  const pollAmong = async ({ pool, clientIds }: NodeGroup): Promise<JobFound[]> => {
    const ranBefore = [...runs.all].filter(([clientId]) => clientIds.includes(clientId));
    const due = new Set(await ask(pool, findPartnersWithJobs(clientIds)));
    const found = due.size > 0 ? await ask(pool, findJobsToCarryOut(holder, [...due])) : [];
    const partners = new Set(found.map(({ client_id }) => client_id));
    // Nothing is left to do for them here: the job is over, another has it, or the partner is disabled.
    for (const [clientId, { stop }] of ranBefore) if (!partners.has(clientId)) stop();
    return found;
  };

  const nextOf = oneNodeAtATime(pools);
  const polling = startRounds(rounds, pollMs, async (signal) => {
    const all = new Set([...active(), ...runs.all.keys()]);
    // Where some wait for a place, it is the turn of whoever waits longest, on whichever node.
    const groups = waiting > 0 ? groupsByNode(pools, all) : nextOf(all);
    const found = (await inGroups(rounds, groups, signal, pollAmong)).flat();
    if (signal.aborted || !isDatabaseUp()) return;
    const fresh = found.filter(({ client_id }) => !runs.all.has(client_id)).sort(byTurn);
    const places = mostAtATime - runs.all.size;
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
