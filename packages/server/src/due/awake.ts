import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import type { Signal } from '../background/signal.ts';
import { inGroups, type MachinePools } from '../db/machines.ts';
import { ask } from '../db/statement.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Awake, findAwake, putToSleep, wakeDuePartners, wakeMissedPartners } from '../sql/due.ts';
import { findPartnersAfter } from '../sql/partners.ts';

// The partners that the work in the background asks about. One short statement finds them, however many others there are: those whose
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

export interface AwakeResources {
  pools: MachinePools;
  isDatabaseUp(): boolean;
  /** This server has committed events of a partner. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
  onFault(error: unknown): void;
}

const pollMs = 100;
const sleepCheckMs = 1000;
const [firstSurveyMs, surveyMs] = [60 * 1000, 3600 * 1000];
/** Woken by one statement, or gone through by one step of a survey. */
const partnersAtATime = 500;
const breathMs = 20;

export function watchAwake(resources: AwakeResources): AwakeWatch {
  const { pools, isDatabaseUp, committed, onFault } = resources;
  const { machines } = pools;
  /** By machine, as of the latest poll of each. */
  const foundOn = new Map<number, Awake>();
  let awake = new Set<number>();
  /** Machines that have not answered yet. */
  const asked = new Map<number, Promise<void>>();
  let turn = 0;

  const pollMachine = async (machine: number, slots: number[]) => {
    foundOn.set(machine, await findAllAwake(pools.of(machine), slots));
    for (const each of foundOn.keys()) if (!machines().slots.has(each)) foundOn.delete(each);
    awake = new Set([...foundOn.values()].flatMap(({ clientIds }) => clientIds));
  };
  // One machine in each turn, so that the cost is the same however many there are; and one that hangs holds up no other.
  const poll = async (signal: AbortSignal) => {
    if (!isDatabaseUp()) return;
    const parts = [...machines().slots];
    const [machine, slots] = parts[turn++ % parts.length] ?? [0, [0]];
    if (asked.has(machine)) return;
    const answered = pollMachine(machine, slots)
      .catch(onFault)
      .finally(() => asked.delete(machine));
    asked.set(machine, answered);
    await Promise.race([answered, pause(pollMs, signal)]);
  };
  const polling = repeat(poll, { pauseMs: pollMs, onFault });
  // Beside the poll: there may be many of them, after a survey, and others must not wait to be found.
  const settle = async (signal: AbortSignal) => {
    for (const { tired } of foundOn.values()) await letSleep(resources, tired, signal).catch(onFault);
  };
  const settling = repeat(settle, { pauseMs: sleepCheckMs, onFault });
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
    foundOn.get(machines().of(clientId))?.clientIds.push(clientId);
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

/** With those that are woken because it is time. */
async function findAllAwake(pool: Pool, slots: number[]): Promise<Awake> {
  const found = await ask(pool, findAwake(slots));
  if (!found.isAnyDue) return found;
  const woken: number[] = [];
  for (const slot of slots) woken.push(...(await ask(pool, wakeDuePartners(slot, partnersAtATime))));
  return { ...found, clientIds: [...found.clientIds, ...woken] };
}

async function letSleep(resources: AwakeResources, tired: Awake['tired'], signal: AbortSignal): Promise<void> {
  const { pools, isDatabaseUp } = resources;
  for (const [slot, all] of tired) {
    for (const { pool, clientIds } of inGroups(pools, all)) {
      if (signal.aborted || !isDatabaseUp()) return;
      await inTransaction(pool, (connection) => putToSleep(connection, slot, clientIds));
    }
  }
}

async function surveyAll(resources: AwakeResources, signal: AbortSignal): Promise<void> {
  const { pools, isDatabaseUp, onFault } = resources;
  let last: number | undefined = 0;
  while (last !== undefined && !signal.aborted && isDatabaseUp()) {
    const next: number[] = await ask(pools.usual, findPartnersAfter(last, partnersAtATime));
    for (const { pool, machine, clientIds } of inGroups(pools, next)) {
      await wakeMissedPartners(pool, pools.machines().slots.get(machine) ?? [], clientIds).catch(onFault);
    }
    last = next.at(-1);
    await pause(breathMs, signal);
  }
}
