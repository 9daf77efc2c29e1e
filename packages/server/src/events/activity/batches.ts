import type { PoolClient } from 'pg';
import { ask } from '../../engine/statement.ts';
import { readBatchesAfter, type StoredBatch } from './sql.ts';

const bytesAtATime = 4 * 1024 * 1024;

/** Yields all batches after a position, a few at a time. */
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
