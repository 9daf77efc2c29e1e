import { setImmediate as immediate } from 'node:timers/promises';
import { type ActiveWorkResources, inGroups, restAfter, startRounds } from '../../background/runner.ts';
import { groupsByNode, isOnUnresponsiveNode, poolFor } from '../../engine/connection.ts';
import { type BackgroundWork, pause } from '../../engine/repeat.ts';
import { ask, type Statement } from '../../engine/statement.ts';
import type { Lanes } from '../batch/command.ts';
import { findOverdueFreeBets, findOverdueSinceMoved, findPartnersWithOverdue } from './sql.ts';

// The sweeper stores expiries: it sweeps each expired free bet once, in bounded batches per partner, through the lanes
// like every other change. No operation depends on it, because each checks the expiry time itself. So the sweeper
// yields to requests: while any are running, it pauses nine times as long as it worked. The pause is at most a second,
// because a batch may have waited for one partner and the pause delays all of them. If two servers sweep the same free
// bet, the partner's lock lets one do it and the other finds it swept. Both take the earliest expiry first, so events
// are emitted in that order.
//
// Moving a sandbox's clock forward can expire many free bets at once, and someone is waiting for them. A separate loop
// sweeps them within half a second, regardless of the pause and of the backlog of other partners.

export interface SweeperResources extends ActiveWorkResources {
  lanes: Lanes;
  isSandbox(clientId: number): boolean;
  /** Called when everything that had expired at the start of a round is swept. */
  onCaughtUp(): void;
}

export interface SweeperSettings {
  batchSize: number;
  pauseMs: number;
}

const idlePauseMs = 5;
const movedPauseMs = 500;

export function startSweeper(resources: SweeperResources, { batchSize, pauseMs }: SweeperSettings): BackgroundWork {
  const { pools, active, isSandbox, onCaughtUp } = resources;
  // While anything is overdue, rounds follow each other with only the pause after each batch.
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

/**
 * Sweeps one batch of each partner; all partners are on one node. Returns how many free bets were swept, and whether
 * that was everything overdue at the time of each partner's query.
 */
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
    // Lets requests that arrived meanwhile start: their lane is then busy even if its queue is empty.
    await immediate();
    if (count > 0) await pause(resources.lanes.isBusy() ? restMs : idlePauseMs, signal);
  }
  return { swept, isClean };
}

/**
 * Sweeps one batch and counts it. If the queue is full or a command fails, the next round tries again after the pause.
 */
async function sweepPartner({ pools, lanes }: SweeperResources, clientId: number, batchSize: number) {
  const issueIds = await ask(poolFor(pools, clientId), findOverdueFreeBets(clientId, batchSize));
  if (issueIds.length === 0) return { found: 0, swept: 0 };
  const commands = issueIds.map((issueId) => ({ kind: 'expire_free_bet' as const, issueId }));
  const outcomes = await lanes.submit(clientId, commands);
  return { found: issueIds.length, swept: outcomes.filter((outcome) => outcome.ok).length };
}
