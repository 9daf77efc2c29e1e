import type { Pool } from 'pg';
import { ask } from '../../engine/statement.ts';
import { inSnapshot } from '../../engine/transaction.ts';
import { readBatches } from './batches.ts';
import { foldBatch, rowsOf, type Sums } from './fold.ts';
import { type Difference, findDifferences, readActivityState } from './sql.ts';

// Checks that the counts equal the sums of the rows, hour by hour. It reads everything in one snapshot, and counts the
// events that the activity reader has not reached in memory.

export interface Verified {
  /** The last event in the snapshot. */
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
