import type { Pool, PoolClient } from 'pg';
import { ask } from '../engine/statement.ts';
import { inSnapshot } from '../engine/transaction.ts';
import { type ChainReport, checkChain } from './chain-check.ts';
import { linksOf } from './links.ts';
import { type ChainFound, findChains, findOwners } from './sql.ts';

// Checks chains as they stand in the database. All of it is read from one state of the world, so that what is being added
// meanwhile is neither missed nor taken for something that does not belong there.

/**
 * Null for all chains. A partner without one is named with a length of 0: a chain that was removed together with its head is missed by
 * who compares the lengths with earlier ones, and by nobody else.
 */
export const verifyChains = (pool: Pool, chains: readonly number[] | null): Promise<ChainReport[]> =>
  inSnapshot(pool, async (connection) => {
    const reports = new Map<number, ChainReport>();
    for (const chain of await ask(connection, findOwners(chains))) {
      reports.set(chain, checkChain({ chain, length: 0, hasGaps: false }).end());
    }
    for (const found of await ask(connection, findChains(chains))) {
      reports.set(found.client_id, await verifyChain(connection, found));
    }
    return [...reports.values()].toSorted((a, b) => a.chain - b.chain);
  });

async function verifyChain(connection: PoolClient, { client_id: chain, length }: ChainFound): Promise<ChainReport> {
  const check = checkChain({ chain, length, hasGaps: false });
  for await (const links of linksOf(connection, chain, null, null)) {
    // What a row says of the one before is checked with that row itself.
    for (const { previous: _, ...link } of links) check.add(link);
  }
  return check.end();
}
