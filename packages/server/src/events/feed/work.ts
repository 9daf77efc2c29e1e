import { inGroups, inSteps, startRounds, type WorkResources, walkPartners } from '../../background/runner.ts';
import { isOnUnresponsiveNode, poolFor } from '../../engine/connection.ts';
import type { BackgroundWork } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { findOldEvents, removeOldEvents } from './sql/retention.ts';

// Old events are removed, and what is known of their deliveries; free bets, campaigns and bets are kept. In small steps with
// a rest after each, so that nobody notices. Who has any is found by a walk over all partners. Servers may do it at the same time: what
// one has removed the other finds gone.

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
