import { setImmediate as immediate } from 'node:timers/promises';
import { type ActiveWorkResources, inGroups, longestRestMs, restAfter, startRounds } from '../../background/runner.ts';
import { keepInPlace } from '../../engine/clock.ts';
import { groupsByNode, type NodeGroup } from '../../engine/connection.ts';
import { type BackgroundWork, pause } from '../../engine/repeat.ts';
import { ask, type Statement } from '../../engine/statement.ts';
import { begin, commit, inOneTrip } from '../../engine/transaction.ts';
import type { Signal } from '../../primitives/signal.ts';
import { foldBatch, rowsOf, type Sums } from './fold.ts';
import { addActivity, findBehind, findHeadless, insertActivityHead, takeUncounted } from './sql.ts';

// Follows the feed of every partner, and counts what happened hour by hour. A step takes the next events of a few partners, adds
// them up in memory, and writes the sums and how far it has come in one transaction: whoever is killed, nothing is counted
// twice or left out. Who counts a partner's events has the lock on its head; where another has it, the partner is passed
// over. So any number of servers may do it.
//
// A server knows for which partners it has committed something itself; now and then it asks which active partners are behind, since
// another server may have been killed, or does no work in the background. While requests are under way it rests after each step as
// the sweeper does, but not for longer than a second in all: it must never be far behind.

export interface ReaderResources extends ActiveWorkResources {
  /** Whether requests are under way. */
  isBusy(): boolean;
  /** This server has committed something of a partner, of which there may be events. */
  committed: Signal<[clientId: number]>;
}

/** What is committed meanwhile is counted together. */
const pauseMs = 500;
/** One turn in four asks about all active partners. */
const turnsPerPoll = 4;
/** They share a transaction, and what is read of their events at a time. */
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
    await countAll(resources, asked.size > 0 ? await behindOf(resources, asked, signal) : known, signal);
  });
  return {
    stop() {
      unsubscribe();
      return loop.stop();
    },
  };
}

/** Those that had nothing counted before get their head. */
async function behindOf(resources: ReaderResources, asked: Set<number>, signal: AbortSignal): Promise<number[]> {
  const { pools, onFault } = resources;
  const groups = groupsByNode(pools, asked);
  const behind = await inGroups(resources, groups, signal, async ({ pool, clientIds }) => {
    const found = await ask(pool, findBehind(clientIds));
    const headless = found.length > 0 ? await ask(pool, findHeadless(found)).catch(onFault) : [];
    for (const clientId of headless ?? []) await ask(pool, insertActivityHead(clientId)).catch(onFault);
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
      const more = await countStep(group, pools.plainRows());
      if (more.length > 0) queue.push({ ...group, clientIds: more });
    } catch (error) {
      // One whose events cannot be counted must not hold up the others.
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

/** One transaction; the partners that may have more to count. */
async function countStep({ pool, clientIds: partners }: NodeGroup, plainRows: number): Promise<number[]> {
  const client = await pool.connect();
  try {
    const taking = partners.map((clientId) => ({
      clientId,
      statement: takeUncounted(clientId, Math.floor(bytesAtATime / partners.length)),
    }));
    const taken = await inOneTrip(client, [
      begin(),
      ...partners.map(keepInPlace),
      ...taking.map(({ statement }) => statement),
    ]);
    const statements: Statement[] = [];
    const behind: number[] = [];
    for (const { clientId, statement } of taking) {
      const { batches, isMore } = taken.of(statement);
      const last = batches.at(-1);
      if (last === undefined) continue;
      const sums: Sums = new Map();
      for (const batch of batches) foldBatch(sums, batch);
      statements.push(...addActivity(clientId, rowsOf(sums), last.last_sequence));
      if (isMore) behind.push(clientId);
    }
    await inOneTrip(client, [...statements, commit()], { plainRows });
    client.release();
    return behind;
  } catch (error) {
    // The connection is not used again, and so nothing of the transaction stays.
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}
