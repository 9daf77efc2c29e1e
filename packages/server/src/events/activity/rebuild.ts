import type { PoolClient } from 'pg';
import { type ChangeContext, change } from '../../audit/change.ts';
import { ask } from '../../engine/statement.ts';
import { inOneTrip } from '../../engine/transaction.ts';
import { readBatches } from './batches.ts';
import { foldBatch, rowsOf, type Sums } from './fold.ts';
import { addActivity, clearActivity, readActivityInRows, readActivityState } from './sql.ts';

// Recounts the activity of a partner in one transaction. Until it commits, readers see the earlier counts, and the
// activity reader skips the partner. The source is the feed if it still has every event. If old events have been
// removed, even during the count, the source is the rows of free bets and bets, which are complete. They lack only when
// a free bet was found to be expired, so an expiry counts in the hour of the expiry time.

export interface Rebuilt {
  from: 'feed' | 'rows';
  /** The last counted event. */
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
    await inOneTrip(connection, addActivity(new Map([[clientId, { rows: some, position }]])));
  }
}

/** Returns false if an event was removed before it was read. */
async function countFeed(connection: PoolClient, clientId: number, last: number): Promise<boolean> {
  let position = 0;
  for await (const batches of readBatches(connection, clientId, position)) {
    const sums: Sums = new Map();
    for (const batch of batches) {
      if (batch.first_sequence !== position + 1) return false;
      foldBatch(sums, batch);
      position = batch.last_sequence;
    }
    await inOneTrip(connection, addActivity(new Map([[clientId, { rows: rowsOf(sums), position }]])));
  }
  return position >= last;
}
