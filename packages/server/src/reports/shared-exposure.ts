import type { Pool } from 'pg';
import type { Chosen } from '../calls/chosen.ts';
import { eachAtMostEvery } from '../primitives/at-most-every.ts';
import { type Exposure, readExposure } from './exposure.ts';

/** The overview is read every three seconds, by each who has it open. */
const keptMs = 2000;
/** All partners, those of a scope, one of them. */
const mostKept = 100;

/**
 * What open bets could still win, at most two seconds old: however many ask about the same partners, it is read one time. It costs by all campaigns
 * that there ever were. Whoever asks has a turn at the pool.
 */
export const shareExposure = (pool: Pool): ((wanted: Chosen) => Promise<Exposure[]>) =>
  eachAtMostEvery({ ms: keptMs, most: mostKept, nameOf: ({ partners, among }) => `${among} ${partners}` }, (wanted) =>
    readExposure(pool, wanted),
  );
