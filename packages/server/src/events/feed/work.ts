import { type WalkResources, walkPartners } from '../../background/walk.ts';
import { isOnSilentNode, poolFor } from '../../engine/nodes.ts';
import { type BackgroundWork, pause, repeat } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { findOldEvents, removeOldEvents } from './sql/retention.ts';

// Old events are removed, and what is known of their deliveries; free bets, campaigns and bets are kept. In small steps with
// a rest after each, so that nobody notices. Who has any is found by a walk over all partners. Servers may do it at the same time: what
// one has removed the other finds gone.

export interface RetentionResources extends WalkResources {
  onFault(error: unknown): void;
}

const stepSize = 200;
const breathMs = 50;

export function startRetention(
  resources: RetentionResources,
  { keptDays, pauseMs }: { keptDays: number; pauseMs: number },
): BackgroundWork {
  const { pools, isDatabaseUp, onFault } = resources;
  const removeOf = async (clientId: number, signal: AbortSignal) => {
    let isMore = true;
    while (isMore && !signal.aborted && isDatabaseUp() && !isOnSilentNode(pools, clientId)) {
      isMore = (await removeOldEvents(poolFor(pools, clientId), clientId, keptDays, stepSize).catch(onFault)) ?? false;
      await pause(breathMs, signal);
    }
  };
  const removeAll = async (signal: AbortSignal) => {
    for await (const { pool, clientIds } of walkPartners(resources, signal)) {
      const old = await ask(pool, findOldEvents(clientIds, keptDays)).catch(onFault);
      for (const clientId of old ?? []) await removeOf(clientId, signal);
    }
  };
  return repeat(removeAll, { pauseMs, onFault });
}
