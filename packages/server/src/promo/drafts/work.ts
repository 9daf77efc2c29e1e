import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { removeOldExposure } from './sql/unapproved-exposure.ts';

// Removes unapproved amounts that no longer count, in small steps. Several servers may do this at the same time.

export interface ExposureRemovalResources {
  pool: Pool;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

const stepSize = 100;
const breathMs = 50;

export function startExposureRemoval(
  { pool, isDatabaseUp, onFault }: ExposureRemovalResources,
  pauseMs: number,
): BackgroundWork {
  const remove = async (signal: AbortSignal) => {
    while (!signal.aborted && isDatabaseUp()) {
      if ((await ask(pool, removeOldExposure(stepSize))) < stepSize) return;
      await pause(breathMs, signal);
    }
  };
  return repeat(remove, { pauseMs, onFault });
}
