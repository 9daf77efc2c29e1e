import type { PoolClient } from 'pg';
import { type ChangeContext, change } from '../../audit/change.ts';
import { ask } from '../../engine/statement.ts';
import { inOneTrip } from '../../engine/transaction.ts';
import { readBatches } from './batches.ts';
import { foldBatch, rowsOf, type Sums } from './fold.ts';
import { addActivity, clearActivity, readActivityInRows, readActivityState } from './sql.ts';

// Counts all of a partner anew, in one transaction: until it ends everybody sees what was counted before, and the reader passes
// the partner over. As long as the feed has all that ever happened, it is counted from the feed. Where old events are
// removed, if only while they are being counted, it is counted from the rows, which are all there; only when a free bet was found to have expired is not in them, and
// it counts in the hour in which its time came.

export interface Rebuilt {
  from: 'feed' | 'rows';
  /** The last event that is counted. */
  through: number;
}

export const rebuildActivity = (context: ChangeContext, clientId: number): Promise<Rebuilt> =>
  change(context, async (connection) => {
    await inOneTrip(connection, clearActivity(clientId));
    const { is_whole: isWhole, last } = await ask(connection, readActivityState(clientId));
    const isFromFeed = isWhole && (await countFeed(connection, clientId, last));
    if (!isFromFeed) {
      await inOneTrip(connection, clearActivity(clientId));
      await countRows(connection, clientId);
    }
    const { position } = await ask(connection, readActivityState(clientId));
    const answer: Rebuilt = { from: isFromFeed ? 'feed' : 'rows', through: position };
    return { answer, clientId, changed: { target: { kind: 'activity', id: '' }, before: null, after: answer } };
  });

const rowsAtATime = 5000;

async function countRows(connection: PoolClient, clientId: number): Promise<void> {
  const { position, rows } = await ask(connection, readActivityInRows(clientId));
  const parts = Math.max(1, Math.ceil(rows.length / rowsAtATime));
  for (let i = 0; i < parts; i++) {
    const some = rows.slice(i * rowsAtATime, (i + 1) * rowsAtATime);
    await inOneTrip(connection, addActivity(clientId, some, position));
  }
}

/** False when one was removed before it was read. */
async function countFeed(connection: PoolClient, clientId: number, last: number): Promise<boolean> {
  let position = 0;
  for await (const batches of readBatches(connection, clientId, position)) {
    const sums: Sums = new Map();
    for (const batch of batches) {
      if (batch.first_sequence !== position + 1) return false;
      foldBatch(sums, batch);
      position = batch.last_sequence;
    }
    await inOneTrip(connection, addActivity(clientId, rowsOf(sums), position));
  }
  return position >= last;
}
