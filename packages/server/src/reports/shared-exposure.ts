import type { Pool } from 'pg';
import type { PartnerSelection } from '../calls/partner-selection.ts';
import { cacheEachFor } from '../primitives/cache-for.ts';
import { type Exposure, readExposure } from './exposure.ts';

/** Every open overview page reads this every three seconds. */
const cachedMs = 2000;
/** Each selection is all partners, a scope or one partner. */
const maxCached = 100;

/**
 * The maximum winnings of open bets, at most two seconds old. Requests for the same partners share one read, because
 * its cost grows with all campaigns ever created. The caller must hold a turn of the report pool.
 */
export const shareExposure = (pool: Pool): ((wanted: PartnerSelection) => Promise<Exposure[]>) =>
  cacheEachFor({ ms: cachedMs, most: maxCached, nameOf: ({ partners, among }) => `${among} ${partners}` }, (wanted) =>
    readExposure(pool, wanted),
  );
