import type { Pool, PoolClient } from 'pg';
import { ask } from '../db/statement.ts';
import { inSnapshot } from '../db/transaction.ts';
import {
  type Difference,
  findDifferences,
  readActivityState,
  readBatchesAfter,
  type StoredBatch,
} from '../sql/activity.ts';
import { foldBatch, rowsOf, type Sums } from './fold.ts';

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

const bytesAtATime = 4 * 1024 * 1024;

/** All that follow a position, a few at a time. */
export async function* readBatches(
  connection: PoolClient,
  clientId: number,
  position: number,
): AsyncGenerator<StoredBatch[]> {
  for (let after = position; ; ) {
    const { batches } = await ask(connection, readBatchesAfter(clientId, after, bytesAtATime));
    const last = batches.at(-1);
    if (last === undefined) return;
    yield batches;
    after = last.last_sequence;
  }
}
