import { setImmediate as immediate } from 'node:timers/promises';
import { type ActiveWorkResources, inGroups, restAfter, startRounds } from '../../background/runner.ts';
import { groupsByNode, isOnUnresponsiveNode, poolFor } from '../../engine/connection.ts';
import { type BackgroundWork, pause } from '../../engine/repeat.ts';
import { ask, type Statement } from '../../engine/statement.ts';
import type { Lanes } from '../batch/command.ts';
import { findOverdueFreeBets, findOverdueSinceMoved, findPartnersWithOverdue } from './sql.ts';

// Writes down what time has decided: free bets whose time has come are swept once, in bounded batches, partner by partner,
// through the lanes like every other change. Nothing waits for it, since the clock decides every operation by itself; so
// it gives way to requests, and while any are under way it rests nine times as long as it worked. But not for longer than a
// second: it may have waited for one partner, and rests from all. Servers may sweep the same free bets at the same moment: the
// lock on the row lets one of them do it, and the other finds it done. Whoever it is takes those that expired first, so they are
// told in that order.
//
// Where a sandbox's clock was set forward, by whichever server, much may expire at a stroke, and is waited for: a loop of its
// own looks for what is left of it, and so is late by half a second at most, whatever the pause, and however much others have to sweep.

export interface SweeperResources extends ActiveWorkResources {
  lanes: Lanes;
  isSandbox(clientId: number): boolean;
  /** Everything that had expired when this round began is written down. */
  onCaughtUp(): void;
}

export interface SweeperSettings {
  batchSize: number;
  pauseMs: number;
}

const breathMs = 5;
const movedPauseMs = 500;

export function startSweeper(resources: SweeperResources, { batchSize, pauseMs }: SweeperSettings): BackgroundWork {
  const { pools, active, isSandbox, onCaughtUp } = resources;
  // As long as anything is overdue there is only the rest after each batch.
  const loop = (
    pauseMs: number,
    among: () => number[],
    find: (among: readonly number[]) => Statement<number[]>,
    onClean: () => void,
  ) =>
    startRounds(resources, pauseMs, async (signal) => {
      // Inactive partners on an unresponsive node are not marked active, even if something is due.
      const areAllNodesUp = !pools.nodes().dueKeys.keys().some(pools.isUnresponsive);
      const partners = among();
      const done = await inGroups(resources, groupsByNode(pools, partners), signal, async ({ pool, clientIds }) => {
        const found = await ask(pool, find(clientIds));
        return { asked: clientIds.length, ...(await sweep(resources, found, batchSize, signal)) };
      });
      const asked = done.reduce((sum, group) => sum + group.asked, 0);
      if (areAllNodesUp && asked === partners.length && done.every(({ isClean }) => isClean)) onClean();
      return done.some(({ swept }) => swept > 0) ? 0 : pauseMs;
    });
  const sandboxes = () => [...active()].filter(isSandbox);
  const loops = [
    loop(pauseMs, () => [...active()], findPartnersWithOverdue, onCaughtUp),
    loop(movedPauseMs, sandboxes, findOverdueSinceMoved, () => {}),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((each) => each.stop()));
    },
  };
}

/** One batch of each partner, all on one node; how many were swept, and whether all was that had expired when each was asked. */
async function sweep(
  resources: SweeperResources,
  partners: Iterable<number>,
  batchSize: number,
  signal: AbortSignal,
): Promise<{ swept: number; isClean: boolean }> {
  let swept = 0;
  let isClean = true;
  for (const clientId of partners) {
    if (signal.aborted || !resources.isDatabaseUp() || isOnUnresponsiveNode(resources.pools, clientId)) {
      return { swept, isClean: false };
    }
    const began = performance.now();
    const { found = 1, swept: count = 0 } =
      (await sweepPartner(resources, clientId, batchSize).catch(resources.onFault)) ?? {};
    swept += count;
    isClean &&= found === count && found < batchSize;
    const restMs = restAfter(began);
    // What came in meanwhile is under way by then: its lane is busy, although its queue may be empty.
    await immediate();
    if (count > 0) await pause(resources.lanes.isBusy() ? restMs : breathMs, signal);
  }
  return { swept, isClean };
}

/** One batch; how many were found, and swept. None when the queue is full or it failed: that can wait for the pause. */
async function sweepPartner({ pools, lanes }: SweeperResources, clientId: number, batchSize: number) {
  const issueIds = await ask(poolFor(pools, clientId), findOverdueFreeBets(clientId, batchSize));
  if (issueIds.length === 0) return { found: 0, swept: 0 };
  const commands = issueIds.map((issueId) => ({ kind: 'expire_free_bet' as const, issueId }));
  const outcomes = await lanes.submit(clientId, commands);
  return { found: issueIds.length, swept: outcomes.filter((outcome) => outcome.ok).length };
}
