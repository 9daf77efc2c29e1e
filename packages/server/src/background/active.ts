import { groupsByNode, hasManyNodes, type Nodes } from '../engine/connection.ts';
import { isDatabaseUnavailable } from '../engine/faults.ts';
import { type BackgroundWork, pause, repeat } from '../engine/repeat.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import type { Signal } from '../primitives/signal.ts';
import { inGroups, startRounds, type WorkResources, walkPartners } from './runner.ts';
import {
  activeForMs,
  deactivate,
  type FoundActive,
  findActive,
  findFirstDue,
  markDueActive,
  markMissedActive,
} from './sql/due.ts';
import type { AllWork } from './sql/work.ts';

// Background work queries only active partners: partners with recent changes, and partners with work due now. Short
// statements find them among any number of others. A partner without work becomes inactive until its next work is due.
// Any server may activate and deactivate a partner, under the lock on its row.
//
// Every transaction that creates work marks its partner active. A survey of all partners finds work that an older
// version or a person wrote without the mark: at the start of a server, several times soon after, and then every hour.

/** The active partners as this server knows them. */
export interface ActivePartners extends BackgroundWork {
  /** The result of the latest poll, plus the partners of this server's later commits. */
  current(): ReadonlySet<number>;
}

export interface ActivePartnersResources extends WorkResources {
  /** All kinds of work that keep a partner active. */
  work: AllWork;
  /** Tracks which nodes respond to the polls. */
  probe: Pick<NodeProbe, 'track'>;
  /** Emitted when this server has committed a change of a partner. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
}

const pollMs = 100;
/** Due work may start this much late. Most polls of a node then need one statement instead of two. */
const dueCheckMs = 500;
/** Half of the shortest time for which a partner stays active. */
const quietCheckMs = 5000;
/** A round of the poll takes 1.6 s, or one turn for each node. */
const turnsInARound = 16;
/** Longer than a round, and far shorter than a partner stays active. */
const ownForMs = 10_000;
const idleCheckMs = 1000;
const [firstSurveyMs, surveyMs] = [60 * 1000, 3600 * 1000];
/** How many partners one statement activates. */
const partnersAtATime = 500;
const breathMs = 20;

export function watchActivePartners(resources: ActivePartnersResources): ActivePartners {
  const { pools, committed, onFault } = resources;
  const { nodes } = pools;
  /** The latest poll of each dueKey. */
  const found = new Map<number, FoundActive>();
  /** Partners of this server's recent commits, and how long the commit keeps them active without a poll. */
  const own = new Map<number, number>();
  let active = new Set<number>();
  /** Polls under way, by node. */
  const asked = new Map<number, Promise<void>>();
  const nextTurn = dueKeysInTurn(nodes);
  const pollDueKey = pollActive(resources);

  const pollNode = async (node: number, dueKeys: number[]) => {
    for (const dueKey of dueKeys) {
      const latest = await pollDueKey(node, dueKey).catch(onFault);
      if (latest) found.set(dueKey, latest);
    }
    const all = new Set([...nodes().dueKeys.values()].flat());
    for (const dueKey of found.keys()) if (!all.has(dueKey)) found.delete(dueKey);
    for (const [clientId, until] of own) if (until < performance.now()) own.delete(clientId);
    active = new Set([...[...found.values()].flatMap(({ clientIds }) => clientIds), ...own.keys()]);
  };
  // Each turn polls a few dueKeys, so that its cost stays constant. A hanging node does not delay others.
  const poll = async (signal: AbortSignal) => {
    const [node, dueKeys] = nextTurn((each) => asked.has(each));
    if (dueKeys.length === 0) return;
    const answered = pollNode(node, dueKeys).finally(() => asked.delete(node));
    asked.set(node, answered);
    await Promise.race([answered, pause(pollMs, signal)]);
  };
  const polling = startRounds(resources, pollMs, poll);
  // Separate from the poll: after a survey, many partners may be idle, and the poll must not wait for them.
  const settle = async (signal: AbortSignal) => {
    const unavailable = new Set<number>();
    for (const [dueKey, { idle }] of found) {
      const node = nodes().of(dueKey);
      if (unavailable.has(node)) continue;
      await deactivateIdle(resources, dueKey, idle, signal).catch((error) => {
        if (isDatabaseUnavailable(error)) unavailable.add(node);
        onFault(error);
      });
    }
  };
  const settling = startRounds(resources, idleCheckMs, settle);
  let untilSurveyMs = firstSurveyMs / 2;
  const survey = repeat(
    async (signal) => {
      await surveyAll(resources, signal);
      untilSurveyMs = Math.min(2 * untilSurveyMs, surveyMs);
      return untilSurveyMs;
    },
    { pauseMs: firstSurveyMs, onFault },
  );
  const ignore = committed.subscribe((clientId) => {
    if (active.has(clientId)) return;
    active.add(clientId);
    own.set(clientId, performance.now() + ownForMs);
  });
  return {
    current: () => active,
    async stop() {
      ignore();
      await Promise.all([polling.stop(), settling.stop(), survey.stop()]);
      await Promise.all(asked.values());
    },
  };
}

/**
 * Returns the nodes in turn, each with its next dueKeys: one, or as many as needed to finish a round in time. A busy
 * node gets none, and continues at the same position in a later turn.
 */
export function dueKeysInTurn(nodes: () => Nodes) {
  let turn = 0;
  const begun = new Map<number, number>();
  return (isBusy: (node: number) => boolean): [node: number, dueKeys: number[]] => {
    const all = [...nodes().dueKeys];
    const [node, dueKeys] = all[turn++ % all.length] as [number, number[]];
    if (isBusy(node)) return [node, []];
    const atATime = Math.ceil((dueKeys.length * all.length) / turnsInARound);
    const first = (begun.get(node) ?? 0) % dueKeys.length;
    begun.set(node, first + atATime < dueKeys.length ? first + atATime : 0);
    return [node, dueKeys.slice(first, first + atATime)];
  };
}

/**
 * Reads the active partners of a dueKey, and periodically activates those with work due. With many nodes, a dueKey
 * without active partners is checked less often: none of its partners can become inactive soon, so the time of its
 * first due work is known.
 */
function pollActive({ pools, probe }: ActivePartnersResources): (node: number, dueKey: number) => Promise<FoundActive> {
  const nextCheckAt = new Map<number, number>();
  return async (node, dueKey) => {
    const pool = pools.of(node);
    const found = await probe.track(node, ask(pool, findActive(dueKey)));
    if (performance.now() < (nextCheckAt.get(dueKey) ?? 0)) return found;
    const checkIn = (ms: number) => nextCheckAt.set(dueKey, performance.now() + ms);
    checkIn(dueCheckMs);
    const dueInMs = await probe.track(node, ask(pool, findFirstDue(dueKey)));
    const isQuiet = found.clientIds.length === 0 && hasManyNodes(pools);
    if (isQuiet) checkIn(Math.min(Math.max(dueCheckMs, dueInMs), quietCheckMs));
    if (dueInMs > 0) return found;
    const activated = await probe.track(node, ask(pool, markDueActive(dueKey, partnersAtATime)));
    // There may be more.
    if (activated.length === partnersAtATime) nextCheckAt.delete(dueKey);
    return { ...found, clientIds: [...found.clientIds, ...activated] };
  };
}

async function deactivateIdle(
  { pools, work, isDatabaseUp }: ActivePartnersResources,
  dueKey: number,
  idle: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  for (const { pool, clientIds } of groupsByNode(pools, idle)) {
    if (signal.aborted || !isDatabaseUp()) return;
    await inTransaction(pool, (connection) => deactivate(connection, work, dueKey, clientIds));
  }
}

async function surveyAll(resources: ActivePartnersResources, signal: AbortSignal): Promise<void> {
  const { pools, work } = resources;
  await inGroups(resources, walkPartners(resources, signal), signal, async ({ pool, node, clientIds }) => {
    await markMissedActive(pool, work, pools.nodes().dueKeys.get(node) ?? [], clientIds);
    await pause(breathMs, signal);
  });
}

// Tracks unresponsive nodes. Only the poll of active partners queries such a node, so other work need not wait for it.

export interface NodeProbe {
  /** Watches a query to a node, which counts as unresponsive if it takes too long. */
  track<T>(node: number, response: Promise<T>): Promise<T>;
  isUnresponsive(node: number): boolean;
}

/** Longer than a busy node needs for a short statement. */
const patienceMs = 2000;

export function probeNodes(nodes: () => Nodes): NodeProbe {
  /** When each node without a response was queried. */
  const waiting = new Map<number, number>();
  return {
    async track(node, response) {
      waiting.getOrInsertComputed(node, () => performance.now());
      const result = await response;
      waiting.delete(node);
      return result;
    },
    // A single node can't delay others.
    isUnresponsive(node) {
      const since = waiting.get(node);
      return since !== undefined && performance.now() - since > patienceMs && nodes().dueKeys.size > 1;
    },
  };
}

// Caches which partners this process has recently marked active, so that not every batch marks them. Entries last half
// as long as a mark. The other half is longer than a transaction may take, so every transaction commits while its
// partner is active.

export interface ActiveCache {
  has(clientId: number): boolean;
  /** Adds the partners of a committed transaction, whose statements were sent at that time. */
  add(clientIds: readonly number[], sentAt: number): void;
  /** Clears the cache, because after a failover the new database may lack the last commits. */
  forget(): void;
}

const rememberedMs = activeForMs / 2;

export function openActiveCache(now: () => number = () => performance.now()): ActiveCache {
  /** The oldest first. */
  const markedAt = new Map<number, number>();
  const isOver = (at: number) => now() - at >= rememberedMs;
  return {
    has(clientId) {
      const at = markedAt.get(clientId);
      return at !== undefined && !isOver(at);
    },
    add(clientIds, sentAt) {
      for (const clientId of clientIds) {
        markedAt.delete(clientId);
        markedAt.set(clientId, sentAt);
      }
      for (const [clientId, at] of markedAt) {
        if (!isOver(at)) break;
        markedAt.delete(clientId);
      }
    },
    forget: () => markedAt.clear(),
  };
}
