import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import { removeOldEvents } from '../sql/events.ts';

// Old events are removed, and what is known of their deliveries; free bets, campaigns and bets are kept. In small steps with
// a rest after each, so that nobody notices. Servers may do it at the same time: what one has removed the other finds gone.

export interface RetentionResources {
  pool: Pool;
  partners(): Iterable<number>;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

const stepSize = 200;
const breathMs = 50;

export function startRetention(
  resources: RetentionResources,
  { keptDays, pauseMs }: { keptDays: number; pauseMs: number },
): BackgroundWork {
  const { pool, partners, isDatabaseUp, onFault } = resources;
  const removeAll = async (signal: AbortSignal) => {
    for (const clientId of partners()) {
      let isMore = true;
      while (isMore && !signal.aborted && isDatabaseUp()) {
        isMore = (await removeOldEvents(pool, clientId, keptDays, stepSize).catch(onFault)) ?? false;
        await pause(breathMs, signal);
      }
    }
  };
  return repeat(removeAll, { pauseMs, onFault });
}
