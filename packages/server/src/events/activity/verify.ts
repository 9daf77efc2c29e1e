import type { Pool } from 'pg';
import { ask } from '../../engine/statement.ts';
import { inSnapshot } from '../../engine/transaction.ts';
import { readBatches } from './batches.ts';
import { foldBatch, rowsOf, type Sums } from './fold.ts';
import { type Difference, findDifferences, readActivityState } from './sql.ts';

// Proves that what is counted is what the rows themselves add up to, hour by hour. All of it is read of one moment, and what the
// reader has not come to by then is counted in memory.

export interface Verified {
  /** The last event that there was. */
  through: number;
  differences: Difference[];
}

export const verifyActivity = (pool: Pool, clientId: number): Promise<Verified> =>
  inSnapshot(pool, async (connection) => {
    const { position, last } = await ask(connection, readActivityState(clientId));
    const uncounted: Sums = new Map();
    for await (const batches of readBatches(connection, clientId, position)) {
      for (const batch of batches) foldBatch(uncounted, batch);
    }
    return { through: last, differences: await ask(connection, findDifferences(clientId, rowsOf(uncounted))) };
  });
