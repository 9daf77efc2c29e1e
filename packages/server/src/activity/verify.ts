import type { Pool, PoolClient } from 'pg';
import { ask } from '../db/statement.ts';
import { inSnapshot } from '../db/transaction.ts';
import {
  type Activity,
  type ActivityTotals,
  type Measure,
  measures,
  readActivityState,
  readBatchesAfter,
  readCountedTotals,
  readTotalsInRows,
  type StoredBatch,
} from '../sql/activity.ts';
import { foldBatch, type Sums } from './fold.ts';

// Proves that what is counted is what the rows themselves add up to. All of it is read of one moment, and what the reader has not
// come to by then is counted in memory.

export interface Difference extends Pick<Activity, 'campaignId' | 'currency' | 'gameId' | 'providerId'> {
  measure: Measure;
  counted: bigint;
  inRows: bigint;
}

export interface Verified {
  /** The last event that there was. */
  through: number;
  differences: Difference[];
}

export const verifyActivity = (pool: Pool, clientId: number): Promise<Verified> =>
  inSnapshot(pool, async (connection) => {
    const { position, last } = await ask(connection, readActivityState(clientId));
    const counted: Totals = new Map();
    for (const row of await ask(connection, readCountedTotals(clientId))) add(counted, row);
    const rest: Sums = new Map();
    for await (const batches of readBatches(connection, clientId, position)) {
      for (const batch of batches) foldBatch(rest, batch);
    }
    for (const row of rest.values()) add(counted, row);
    const inRows: Totals = new Map();
    for (const row of await ask(connection, readTotalsInRows(clientId))) add(inRows, row);
    return { through: last, differences: differencesOf(counted, inRows) };
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

type Totals = Map<string, ActivityTotals>;

function add(totals: Totals, row: Activity | ActivityTotals): void {
  const { campaignId, currency, gameId, providerId } = row;
  const key = [campaignId, currency, gameId, providerId].join('\n');
  const known = totals.get(key);
  const sums = measures.map((name) => [name, (known?.[name] ?? 0n) + BigInt(row[name])]);
  totals.set(key, { campaignId, currency, gameId, providerId, ...Object.fromEntries(sums) });
}

function differencesOf(counted: Totals, inRows: Totals): Difference[] {
  return [...new Set([...counted.keys(), ...inRows.keys()])].sort().flatMap((key) => {
    const [one, other] = [counted.get(key), inRows.get(key)];
    const { campaignId, currency, gameId, providerId } = (one ?? other) as ActivityTotals;
    return measures
      .map((measure) => ({ measure, counted: one?.[measure] ?? 0n, inRows: other?.[measure] ?? 0n }))
      .filter((each) => each.counted !== each.inRows)
      .map((each) => ({ campaignId, currency, gameId, providerId, ...each }));
  });
}
