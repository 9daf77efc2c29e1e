import { type ActiveWorkResources, inGroups, inSteps, startRounds } from '../../background/runner.ts';
import { groupsByNode, type NodeGroup } from '../../engine/connection.ts';
import type { BackgroundWork } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import type { Lanes } from '../batch/command.ts';
import { abandonJobs, clearJob, findJobsToGiveUp, findJobToClear, findPartnersWithOldJobs } from './sql/work.ts';

// Removes jobs that were left open and the parts of stopped jobs, in small steps with pauses so that requests stay
// fast. A job that failed long ago is first stopped through the lanes, because that emits an event. Several servers may
// do this at the same time: the second one finds nothing left to remove.

export interface RemovalResources extends ActiveWorkResources {
  lanes: Lanes;
}

/** Each part is at most 1 MiB. */
const partsAtATime = 10;

export function startJobRemoval(resources: RemovalResources, pauseMs: number): BackgroundWork {
  const { pools, lanes, active } = resources;
  const removeAmong = async ({ pool, clientIds: all }: NodeGroup, signal: AbortSignal) => {
    const clientIds = await ask(pool, findPartnersWithOldJobs(all));
    if (clientIds.length === 0) return;
    await abandonJobs(pool, clientIds);
    for (const { client_id, job_id } of await ask(pool, findJobsToGiveUp(clientIds)))
      await lanes.submit(client_id, [{ kind: 'give_up_job', jobId: job_id }]);
    await inSteps(resources, signal, async () => {
      const job = await ask(pool, findJobToClear(clientIds));
      if (job !== undefined) await clearJob(pool, job, partsAtATime);
      return job !== undefined;
    });
  };
  return startRounds(resources, pauseMs, async (signal) => {
    await inGroups(resources, groupsByNode(pools, active()), signal, (group) => removeAmong(group, signal));
  });
}
