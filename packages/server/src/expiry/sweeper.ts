import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Lanes } from '../lanes/lanes.ts';
import { findOverdueFreeBets } from '../sql/free-bets.ts';

// Writes down what time has decided: free bets whose time has come are swept once, in bounded batches, partner by partner,
// through the lanes like every other change. Nothing waits for it, since the clock decides every operation by itself; so
// it gives way to requests. Servers may sweep the same free bets at the same moment: the lock on the row lets one of them
// do it, and the other finds it done.

export interface SweeperResources {
  reads: Pool;
  lanes: Lanes;
  /** Every partner, disabled or not. */
  partners(): Iterable<number>;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

export interface SweeperSettings {
  batchSize: number;
  pauseMs: number;
}

export interface Sweeper {
  stop(): Promise<void>;
}

/** While so many commands of requests wait on this server, sweeping can wait as well. */
const busyDepth = 64;

export function startSweeper(resources: SweeperResources, settings: SweeperSettings): Sweeper {
  const stopping = new AbortController();
  const ended = sweepForever(resources, settings, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function sweepForever(resources: SweeperResources, settings: SweeperSettings, signal: AbortSignal) {
  while (!signal.aborted) {
    const found = resources.isDatabaseUp() ? await sweepOnce(resources, settings, signal).catch(resources.onFault) : 0;
    // With work left, only a breath, so that requests come in between.
    await delay(found ? 5 : settings.pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** One batch for each partner that has any overdue; how many were found in all. */
export async function sweepOnce(
  { reads, lanes, partners }: SweeperResources,
  { batchSize }: SweeperSettings,
  signal?: AbortSignal,
): Promise<number> {
  let found = 0;
  for (const clientId of partners()) {
    if (signal?.aborted || lanes.depth() > busyDepth) break;
    const issueIds = await findOverdueFreeBets(reads, clientId, batchSize);
    if (issueIds.length === 0) continue;
    await lanes.submit(
      clientId,
      issueIds.map((issueId) => ({ kind: 'expire_free_bet', issueId })),
    );
    found += issueIds.length;
  }
  return found;
}
