import type { Pool, PoolClient } from 'pg';
import { ask } from '../engine/statement.ts';
import { inSnapshot } from '../engine/transaction.ts';
import { type ChainReport, checkChain } from './chain-check.ts';
import { linksOf } from './links.ts';
import { type ChainFound, findChains, findOwners } from './sql.ts';

// Checks the chains in the database. All reads use one snapshot, so records added meanwhile are not reported as missing
// or as inserted.

/**
 * Null for all chains. A partner without a chain is reported with length 0: if a chain was removed together with its
 * head, only a comparison with earlier lengths reveals it.
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
    // `previous` comes from the previous row, which is checked itself.
    for (const { previous: _, ...link } of links) check.add(link);
  }
  return check.end();
}
