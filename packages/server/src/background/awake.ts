import { isDatabaseUnavailable } from '../engine/faults.ts';
import { groupsByNode, hasManyNodes, type Nodes } from '../engine/nodes.ts';
import { type BackgroundWork, pause, repeat } from '../engine/repeat.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import type { Signal } from '../primitives/signal.ts';
import { inGroups, startRounds, type WorkResources, walkPartners } from './runner.ts';
import {
  type Awake,
  awakeForMs,
  findAwake,
  findFirstDue,
  putToSleep,
  wakeDuePartners,
  wakeMissedPartners,
} from './sql/due.ts';
import type { AllWork } from './sql/work.ts';

// The partners that the work in the background asks about. Short statements find them, however many others there are: those whose
// things were changed lately, by whichever server, and those of whom something is due by now. Whoever has nothing to do any more
// goes to sleep until the next thing is due. Any server may wake a partner and put it to sleep: its row is locked meanwhile.
//
// Whatever gives them something to do wakes them in the same transaction. What was written without it, by a server of an older version
// or by hand, is found by a survey of all partners: when a server starts, several times soon after, when the older ones have just
// been replaced, and then every hour.

export interface AwakeWatch extends BackgroundWork {
  /** As of the latest poll, and those for whom this server has committed something since. */
  current(): ReadonlySet<number>;
}

export interface AwakeResources extends WorkResources {
  /** All kinds of work that keep a partner active. */
  work: AllWork;
  /** Is told by this watch which nodes answer. */
  silence: Pick<Silence, 'listen'>;
  /** This server has committed something of a partner. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
}

const pollMs = 100;
/** What is due may be so much later: expiry, what is to be sent again, and jobs that are to begin or to be removed. So on one node a poll is mostly one statement, and not two. */
const dueCheckMs = 500;
/** Half as long as a partner is awake at least, but for those that the survey woke: they sleep again as soon as they are seen to. */
const quietCheckMs = 5000;
/** Of the poll: a second and a half, or one turn for each node. */
const turnsInARound = 16;
/** Longer than a round, and far shorter than a partner stays awake. */
const ownForMs = 10_000;
const sleepCheckMs = 1000;
const [firstSurveyMs, surveyMs] = [60 * 1000, 3600 * 1000];
/** Woken by one statement. */
const partnersAtATime = 500;
const breathMs = 20;

export function watchAwake(resources: AwakeResources): AwakeWatch {
  const { pools, committed, onFault } = resources;
  const { nodes } = pools;
  /** By dueKey, as of the latest poll of each. */
  const found = new Map<number, Awake>();
  /** For whom this server has committed something, with until when that alone counts. */
  const own = new Map<number, number>();
  let awake = new Set<number>();
  /** Nodes that have not answered yet. */
  const asked = new Map<number, Promise<void>>();
  const nextTurn = dueKeysInTurn(nodes);
  const pollDueKey = wakingWhoIsDue(resources);

  const pollNode = async (node: number, dueKeys: number[]) => {
    for (const dueKey of dueKeys) {
      const latest = await pollDueKey(node, dueKey).catch(onFault);
      if (latest) found.set(dueKey, latest);
    }
    const all = new Set([...nodes().dueKeys.values()].flat());
    for (const dueKey of found.keys()) if (!all.has(dueKey)) found.delete(dueKey);
    for (const [clientId, until] of own) if (until < performance.now()) own.delete(clientId);
    awake = new Set([...[...found.values()].flatMap(({ clientIds }) => clientIds), ...own.keys()]);
  };
  // A few dueKeys in each turn, so that the cost is the same however many there are; and a node that hangs holds up no other.
  const poll = async (signal: AbortSignal) => {
    const [node, dueKeys] = nextTurn((each) => asked.has(each));
    if (dueKeys.length === 0) return;
    const answered = pollNode(node, dueKeys).finally(() => asked.delete(node));
    asked.set(node, answered);
    await Promise.race([answered, pause(pollMs, signal)]);
  };
  const polling = startRounds(resources, pollMs, poll);
  // Beside the poll: there may be many of them, after a survey, and others must not wait to be found.
  const settle = async (signal: AbortSignal) => {
    const unavailable = new Set<number>();
    for (const [dueKey, { tired }] of found) {
      const node = nodes().of(dueKey);
      if (unavailable.has(node)) continue;
      await letSleep(resources, dueKey, tired, signal).catch((error) => {
        if (isDatabaseUnavailable(error)) unavailable.add(node);
        onFault(error);
      });
    }
  };
  const settling = startRounds(resources, sleepCheckMs, settle);
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
    if (awake.has(clientId)) return;
    awake.add(clientId);
    own.set(clientId, performance.now() + ownForMs);
  });
  return {
    current: () => awake,
    async stop() {
      ignore();
      await Promise.all([polling.stop(), settling.stop(), survey.stop()]);
      await Promise.all(asked.values());
    },
  };
}

/**
 * One node after the other, and of each its dueKeys in turn: one, or as many that a round does not take longer. For a node
 * that is busy there are none, and it goes on later with those that it would have had.
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
 * Who is awake in a dueKey, and from time to time also those whose time has come; these are woken. Where nobody is awake nobody is put to sleep soon,
 * so that it is known when the next is due: each statement less is worth it on many nodes. On one it is looked again all the same.
 */
function wakingWhoIsDue({ pools, silence }: AwakeResources): (node: number, dueKey: number) => Promise<Awake> {
  const nextCheckAt = new Map<number, number>();
  return async (node, dueKey) => {
    const pool = pools.of(node);
    const awake = await silence.listen(node, ask(pool, findAwake(dueKey)));
    if (performance.now() < (nextCheckAt.get(dueKey) ?? 0)) return awake;
    const checkIn = (ms: number) => nextCheckAt.set(dueKey, performance.now() + ms);
    checkIn(dueCheckMs);
    const dueInMs = await silence.listen(node, ask(pool, findFirstDue(dueKey)));
    const isQuiet = awake.clientIds.length === 0 && hasManyNodes(pools);
    if (isQuiet) checkIn(Math.min(Math.max(dueCheckMs, dueInMs), quietCheckMs));
    if (dueInMs > 0) return awake;
    const woken = await silence.listen(node, ask(pool, wakeDuePartners(dueKey, partnersAtATime)));
    // There may be more.
    if (woken.length === partnersAtATime) nextCheckAt.delete(dueKey);
    return { ...awake, clientIds: [...awake.clientIds, ...woken] };
  };
}

async function letSleep(
  { pools, work, isDatabaseUp }: AwakeResources,
  dueKey: number,
  tired: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  for (const { pool, clientIds } of groupsByNode(pools, tired)) {
    if (signal.aborted || !isDatabaseUp()) return;
    await inTransaction(pool, (connection) => putToSleep(connection, work, dueKey, clientIds));
  }
}

async function surveyAll(resources: AwakeResources, signal: AbortSignal): Promise<void> {
  const { pools, work } = resources;
  await inGroups(resources, walkPartners(resources, signal), signal, async ({ pool, node, clientIds }) => {
    await wakeMissedPartners(pool, work, pools.nodes().dueKeys.get(node) ?? [], clientIds);
    await pause(breathMs, signal);
  });
}

// Which nodes do not answer. One that hangs would hold up whoever asks it for as long as an answer is waited for, and with them all
// that they would ask of others. So it is asked by one alone, again and again, and by the others when it answers.

export interface Silence {
  /** A node was asked: until it has answered, it may be silent. */
  listen<T>(node: number, answer: Promise<T>): Promise<T>;
  isSilent(node: number): boolean;
}

/** Longer than a node needs for a short answer, busy as it may be. */
const patienceMs = 2000;

export function watchSilence(nodes: () => Nodes): Silence {
  /** Since when each is waited for that has not answered. */
  const waiting = new Map<number, number>();
  return {
    async listen(node, answer) {
      waiting.getOrInsertComputed(node, () => performance.now());
      const answered = await answer;
      waiting.delete(node);
      return answered;
    },
    // Where there is one alone, nobody is held up by another.
    isSilent(node) {
      const since = waiting.get(node);
      return since !== undefined && performance.now() - since > patienceMs && nodes().dueKeys.size > 1;
    },
  };
}

// Which partners this process has woken for the work in the background, and so need not be woken again with every batch: for half of the
// time for which they then stay awake. The other half is more than a transaction may take from here to its end, so that it is
// committed while its partner is awake.

export interface Waking {
  isAwake(clientId: number): boolean;
  /** By a transaction that is committed, and whose statements were sent at that time. */
  woken(clientIds: readonly number[], sentAt: number): void;
  /** What takes over from a database that is gone may lack the last of what was committed. */
  forget(): void;
}

const rememberedMs = awakeForMs / 2;

export function rememberWoken(now: () => number = () => performance.now()): Waking {
  /** The longest ago at the front. */
  const wokenAt = new Map<number, number>();
  const isOver = (at: number) => now() - at >= rememberedMs;
  return {
    isAwake(clientId) {
      const at = wokenAt.get(clientId);
      return at !== undefined && !isOver(at);
    },
    woken(clientIds, sentAt) {
      for (const clientId of clientIds) {
        wokenAt.delete(clientId);
        wokenAt.set(clientId, sentAt);
      }
      for (const [clientId, at] of wokenAt) {
        if (!isOver(at)) break;
        wokenAt.delete(clientId);
      }
    },
    forget: () => wokenAt.clear(),
  };
}
