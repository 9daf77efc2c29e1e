import { setImmediate as immediate } from 'node:timers/promises';
import { type ActiveWorkResources, inGroups, longestRestMs, restAfter, startRounds } from '../../background/runner.ts';
import { groupsByNode, type NodeGroup } from '../../engine/connection.ts';
import { type BackgroundWork, pause } from '../../engine/repeat.ts';
import { ask, pinPartners } from '../../engine/statement.ts';
import { begin, commit, inOneTrip, rollback } from '../../engine/transaction.ts';
import type { Signal } from '../../primitives/signal.ts';
import { foldBatch, rowsOf, type Sums } from './fold.ts';
import {
  addActivity,
  findBehind,
  findWithoutHead,
  insertActivityHead,
  type NewActivity,
  takeUncounted,
} from './sql.ts';

// Follows the feed of every partner and counts activity per hour. A step reads the next events of a few partners, adds
// them up in memory, and writes the sums and the new positions in one transaction, so a crash neither loses nor repeats
// a count. A step locks the head of each partner and skips partners that another server has locked, so any number of
// servers may run it.
//
// A server knows for which partners it has committed changes. It also polls for active partners that are behind,
// because another server may have crashed, or runs no background work. While requests are in progress it pauses after
// each step, as the sweeper does, for at most one second in all: counting must never be far behind.

export interface ReaderResources extends ActiveWorkResources {
  /** Whether requests are in progress. */
  isBusy(): boolean;
  /** This server has committed a change of a partner, which may have emitted events. */
  committed: Signal<[clientId: number]>;
}

/** Events that are committed during the pause are counted together. */
const pauseMs = 500;
/** Every fourth turn polls all active partners. */
const turnsPerPoll = 4;
/** How many partners share a transaction, and how much it reads of their events. */
const partnersAtATime = 16;
const bytesAtATime = 4 * 1024 * 1024;

export function startActivityReader(resources: ReaderResources): BackgroundWork {
  const { active, committed } = resources;
  const committedHere = new Set<number>();
  const unsubscribe = committed.subscribe((clientId) => void committedHere.add(clientId));
  let turn = 0;
  const loop = startRounds(resources, pauseMs, async (signal) => {
    const known = [...committedHere];
    committedHere.clear();
    const isPoll = turn % turnsPerPoll === 0;
    turn += 1;
    const asked = isPoll ? new Set([...active(), ...known]) : new Set<number>();
    await countAll(resources, asked.size > 0 ? await findPartnersBehind(resources, asked, signal) : known, signal);
  });
  return {
    stop() {
      unsubscribe();
      return loop.stop();
    },
  };
}

/** Finds the partners that are behind, and adds missing heads. */
async function findPartnersBehind(
  resources: ReaderResources,
  asked: Set<number>,
  signal: AbortSignal,
): Promise<number[]> {
  const { pools, onFault } = resources;
  const groups = groupsByNode(pools, asked);
  const behind = await inGroups(resources, groups, signal, async ({ pool, clientIds }) => {
    const found = await ask(pool, findBehind(clientIds));
    const withoutHead = found.length > 0 ? await ask(pool, findWithoutHead(found)).catch(onFault) : [];
    for (const clientId of withoutHead ?? []) await ask(pool, insertActivityHead(clientId)).catch(onFault);
    return found;
  });
  return behind.flat();
}

async function countAll(resources: ReaderResources, partners: number[], signal: AbortSignal): Promise<void> {
  const { pools, isDatabaseUp, isBusy, onFault } = resources;
  const queue = [...groupsByNode(pools, partners, partnersAtATime)];
  let restedMs = 0;
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
    if (signal.aborted || !isDatabaseUp()) return;
    if (pools.isUnresponsive(group.node)) continue;
    const began = performance.now();
    try {
      const more = await countStep(group);
      if (more.length > 0) queue.push({ ...group, clientIds: more });
    } catch (error) {
      // Retries the partners one by one, so that one with faulty events does not hold up the others.
      const { clientIds } = group;
      if (clientIds.length > 1) queue.push(...clientIds.map((clientId) => ({ ...group, clientIds: [clientId] })));
      else onFault(error);
    }
    const restMs = Math.min(restAfter(began), longestRestMs - restedMs);
    await immediate();
    if (queue.length === 0 || !isBusy()) continue;
    restedMs += restMs;
    await pause(restMs, signal);
  }
}

/** Runs one transaction. Returns the partners that may have more to count. */
async function countStep({ pool, clientIds: partners }: NodeGroup): Promise<number[]> {
  const client = await pool.connect();
  try {
    const bytes = Math.floor(bytesAtATime / partners.length);
    const taking = takeUncounted(new Map(partners.toSorted((a, b) => a - b).map((clientId) => [clientId, [bytes]])));
    const taken = (await inOneTrip(client, [begin(), pinPartners(partners), taking])).of(taking);
    const added = new Map<number, NewActivity>();
    const behind: number[] = [];
    for (const [clientId, { batches, isMore }] of taken) {
      const last = batches.at(-1);
      if (last === undefined) continue;
      const sums: Sums = new Map();
      for (const batch of batches) foldBatch(sums, batch);
      added.set(clientId, { rows: rowsOf(sums), position: last.last_sequence });
      if (isMore) behind.push(clientId);
    }
    await inOneTrip(client, added.size > 0 ? [...addActivity(added), commit()] : [rollback()]);
    client.release();
    return behind;
  } catch (error) {
    // Closes the connection, which ends its transaction.
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}
