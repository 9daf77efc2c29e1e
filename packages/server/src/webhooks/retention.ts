import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { removeOldEvents } from '../sql/events.ts';

// Old events are removed, and what is known of their deliveries; free bets, campaigns and bets are kept. In small steps with
// a rest after each, so that nobody notices. Servers may do it at the same time: what one has removed the other finds gone.

export interface RetentionResources {
  pool: Pool;
  partners(): Iterable<number>;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

export interface Retention {
  stop(): Promise<void>;
}

const stepSize = 200;
const breathMs = 50;

export function startRetention(
  resources: RetentionResources,
  settings: { keptDays: number; pauseMs: number },
): Retention {
  const stopping = new AbortController();
  const ended = removeForever(resources, settings, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function removeForever(
  { pool, partners, isDatabaseUp, onFault }: RetentionResources,
  { keptDays, pauseMs }: { keptDays: number; pauseMs: number },
  signal: AbortSignal,
): Promise<void> {
  const rest = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => {});
  while (!signal.aborted) {
    for (const clientId of partners()) {
      let isMore = true;
      while (isMore && !signal.aborted && isDatabaseUp()) {
        isMore = (await removeOldEvents(pool, clientId, keptDays, stepSize).catch(onFault)) ?? false;
        await rest(breathMs);
      }
    }
    await rest(pauseMs);
  }
}
