import { inGroups, inSteps, startRounds, type WorkResources, walkPartners } from '../../background/runner.ts';
import { isOnUnresponsiveNode, poolFor } from '../../engine/connection.ts';
import type { BackgroundWork } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { findOldEvents, removeOldEvents } from './sql/retention.ts';

// Removes events after the retention period, with the results of their deliveries. Free bets, campaigns and bets are
// kept. A walk over all partners finds old events; removal runs in small steps with pauses, so that requests are not
// slowed. Servers may run it concurrently: the second one finds the events removed.

const stepSize = 200;

export function startRetention(
  resources: WorkResources,
  { keptDays, pauseMs }: { keptDays: number; pauseMs: number },
): BackgroundWork {
  const { pools, onFault } = resources;
  const removeOf = (clientId: number, signal: AbortSignal) =>
    inSteps(resources, signal, async () => {
      if (isOnUnresponsiveNode(pools, clientId)) return false;
      return removeOldEvents(poolFor(pools, clientId), clientId, keptDays, stepSize);
    });
  return startRounds(resources, pauseMs, async (signal) => {
    await inGroups(resources, walkPartners(resources, signal), signal, async ({ pool, clientIds }) => {
      const old = await ask(pool, findOldEvents(clientIds, keptDays));
      for (const clientId of old) await removeOf(clientId, signal).catch(onFault);
    });
  });
}
