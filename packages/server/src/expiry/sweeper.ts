import { setImmediate as immediate } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import { ask } from '../db/statement.ts';
import type { Lanes } from '../lanes/lanes.ts';
import { findOverdueFreeBets } from '../sql/free-bets.ts';

// Writes down what time has decided: free bets whose time has come are swept once, in bounded batches, partner by partner,
// through the lanes like every other change. Nothing waits for it, since the clock decides every operation by itself; so
// it gives way to requests, and while any are under way it rests nine times as long as it worked. Servers may sweep the
// same free bets at the same moment: the lock on the row lets one of them do it, and the other finds it done.

export interface SweeperResources {
  pool: Pool;
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

const restPerWork = 9;
const breathMs = 5;

export function startSweeper(resources: SweeperResources, { batchSize, pauseMs }: SweeperSettings): BackgroundWork {
  const { onFault } = resources;
  // As long as anything is overdue there is only the rest after each batch.
  const sweep = async (signal: AbortSignal) => ((await sweepAll(resources, batchSize, signal)) > 0 ? 0 : pauseMs);
  return repeat(sweep, { pauseMs, onFault });
}

/** One batch of every partner; how many were swept. */
async function sweepAll(resources: SweeperResources, batchSize: number, signal: AbortSignal): Promise<number> {
  let swept = 0;
  for (const clientId of resources.partners()) {
    if (signal.aborted || !resources.isDatabaseUp()) break;
    const began = performance.now();
    const count = (await sweepPartner(resources, clientId, batchSize).catch(resources.onFault)) ?? 0;
    swept += count;
    const workedMs = performance.now() - began;
    // What came in meanwhile is under way by then: its lane is busy, although its queue may be empty.
    await immediate();
    if (count > 0) await pause(resources.lanes.isBusy() ? restPerWork * workedMs : breathMs, signal);
  }
  return swept;
}

/** One batch; how many were swept. None when the queue is full or it failed: that can wait for the pause. */
async function sweepPartner({ pool, lanes }: SweeperResources, clientId: number, batchSize: number) {
  const issueIds = await ask(pool, findOverdueFreeBets(clientId, batchSize));
  if (issueIds.length === 0) return 0;
  const commands = issueIds.map((issueId) => ({ kind: 'expire_free_bet' as const, issueId }));
  const outcomes = await lanes.submit(clientId, commands);
  return outcomes.filter((outcome) => outcome.ok).length;
}
