import type { Pool } from 'pg';
import { inSteps, type RoundResources, startRounds } from '../../background/runner.ts';
import type { BackgroundWork } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import { removeOldExposure } from './sql/unapproved-exposure.ts';

const stepSize = 100;

/** Removes unapproved amounts that no longer count. */
export const startExposureRemoval = (resources: RoundResources & { pool: Pool }, pauseMs: number): BackgroundWork =>
  startRounds(resources, pauseMs, (signal) =>
    inSteps(resources, signal, async () => (await ask(resources.pool, removeOldExposure(stepSize))) === stepSize),
  );
