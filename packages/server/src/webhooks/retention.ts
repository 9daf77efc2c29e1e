import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import { ask } from '../db/statement.ts';
import { findOldEvents, type OldEvents, removeOldEvents } from '../sql/events.ts';

// Old events are removed, and what is known of their deliveries; free bets, campaigns and bets are kept. In small steps with
// a rest after each, so that nobody notices. Who has any is found by a walk over all partners, many at a time. Servers may do it at the same time: what one has removed the other finds gone.

export interface RetentionResources {
  pool: Pool;
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
  const { pool, isDatabaseUp, onFault } = resources;
  const removeOf = async (clientId: number, signal: AbortSignal) => {
    let isMore = true;
    while (isMore && !signal.aborted && isDatabaseUp()) {
      isMore = (await removeOldEvents(pool, clientId, keptDays, stepSize).catch(onFault)) ?? false;
      await pause(breathMs, signal);
    }
  };
  const removeAll = async (signal: AbortSignal) => {
    let walked: number | undefined = 0;
    while (walked !== undefined && !signal.aborted && isDatabaseUp()) {
      const old: OldEvents = await ask(pool, findOldEvents(walked, keptDays, partnersAtATime));
      for (const clientId of old.clientIds) await removeOf(clientId, signal);
      walked = old.last;
    }
  };
  return repeat(removeAll, { pauseMs, onFault });
}
