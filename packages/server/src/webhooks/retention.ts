import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import { inGroups, type MachinePools, poolFor } from '../db/machines.ts';
import { ask } from '../db/statement.ts';
import { findOldEvents, removeOldEvents } from '../sql/old-events.ts';
import { findPartnersAfter } from '../sql/partners.ts';

// Old events are removed, and what is known of their deliveries; free bets, campaigns and bets are kept. In small steps with
// a rest after each, so that nobody notices. Who has any is found by a walk over all partners, many at a time. Servers may do it at the same time: what one has removed the other finds gone.

export interface RetentionResources {
  pools: MachinePools;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

const partnersAtATime = 1000;
const stepSize = 200;
const breathMs = 50;

export function startRetention(
  resources: RetentionResources,
  { keptDays, pauseMs }: { keptDays: number; pauseMs: number },
): BackgroundWork {
  const { pools, isDatabaseUp, onFault } = resources;
  const removeOf = async (clientId: number, signal: AbortSignal) => {
    let isMore = true;
    while (isMore && !signal.aborted && isDatabaseUp()) {
      isMore = (await removeOldEvents(poolFor(pools, clientId), clientId, keptDays, stepSize).catch(onFault)) ?? false;
      await pause(breathMs, signal);
    }
  };
  const removeAll = async (signal: AbortSignal) => {
    let walked: number | undefined = 0;
    while (walked !== undefined && !signal.aborted && isDatabaseUp()) {
      const next: number[] = await ask(pools.usual, findPartnersAfter(walked, partnersAtATime));
      for (const { pool, clientIds } of inGroups(pools, next)) {
        const old = await ask(pool, findOldEvents(clientIds, keptDays)).catch(onFault);
        for (const clientId of old ?? []) await removeOf(clientId, signal);
      }
      walked = next.at(-1);
    }
  };
  return repeat(removeAll, { pauseMs, onFault });
}
