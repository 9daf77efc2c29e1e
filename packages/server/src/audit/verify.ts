import type { Pool, PoolClient } from 'pg';
import { ask } from '../db/statement.ts';
import { inSnapshot } from '../db/transaction.ts';
import { type ChainFound, findChains } from '../sql/audit.ts';
import { type ChainReport, checkChain } from './chain-check.ts';
import { linksOf } from './links.ts';

// Checks chains as they stand in the database. All of it is read from one state of the world, so that what is being added
// meanwhile is neither missed nor taken for something that does not belong there.

/** Null for all chains. */
export const verifyChains = (pool: Pool, chains: readonly number[] | null): Promise<ChainReport[]> =>
  inSnapshot(pool, async (connection) => {
    const reports: ChainReport[] = [];
    for (const found of await ask(connection, findChains(chains))) reports.push(await verifyChain(connection, found));
    return reports;
  });

async function verifyChain(connection: PoolClient, { client_id: chain, length }: ChainFound): Promise<ChainReport> {
  const check = checkChain({ chain, length, hasGaps: false });
  for await (const links of linksOf(connection, chain, null, null)) {
    // What a row says of the one before is checked with that row itself.
    for (const { previous: _, ...link } of links) check.add(link);
  }
  return check.end();
}
