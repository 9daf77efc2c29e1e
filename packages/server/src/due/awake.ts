import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import type { Signal } from '../background/signal.ts';
import { byMachine, type Machines } from '../db/machines.ts';
import { ask } from '../db/statement.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Awake, findAwake, putToSleep, wakeDuePartners, wakeMissedPartners } from '../sql/due.ts';
import { findPartnersAfter } from '../sql/partners.ts';

// The partners that the work in the background asks about. One short statement finds them, however many others there are: those whose
// things were changed lately, by whichever server, and those of whom something is due by now. Whoever has nothing to do any more
// goes to sleep until the next thing is due. Any server may wake a partner and put it to sleep: its row is locked meanwhile.
//
// Whatever gives them something to do wakes them in the same transaction. What was written without it, by a server of an older version
// or by hand, is found by a survey of all partners: when a server starts, and every hour.

export interface AwakeWatch extends BackgroundWork {
  /** As of the latest poll, and those for whom this server has committed something since. */
  current(): ReadonlySet<number>;
}

export interface AwakeResources {
  pool: Pool;
  isDatabaseUp(): boolean;
  machines(): Machines;
  /** This server has committed events of a partner. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
  onFault(error: unknown): void;
}

const pollMs = 100;
const sleepCheckMs = 1000;
const surveyMs = 3600 * 1000;
/** Woken, put to sleep, or asked about in a survey, by one statement. */
const partnersAtATime = 500;
const breathMs = 20;

export function watchAwake(resources: AwakeResources): AwakeWatch {
  const { isDatabaseUp, committed, machines, onFault } = resources;
  /** By machine, as of the latest poll of each. */
  const awakeOn = new Map<number, Set<number>>();
  let awake = new Set<number>();
  /** Machines that have not answered yet. */
  const asked = new Map<number, Promise<void>>();
  const slept = new Map<number, number>();
  let turn = 0;

  const pollMachine = async (machine: number, slots: number[], signal: AbortSignal) => {
    const found = await findAllAwake(resources, slots);
    awakeOn.set(machine, new Set(found.clientIds));
    awake = new Set([...awakeOn.values()].flatMap((each) => [...each]));
    if (found.tired.length === 0 || performance.now() - (slept.get(machine) ?? 0) < sleepCheckMs) return;
    await letSleep(resources, found, signal);
    slept.set(machine, performance.now());
  };
  // One machine in each turn, so that the cost is the same however many there are; and one that hangs holds up no other.
  const poll = async (signal: AbortSignal) => {
    if (!isDatabaseUp()) return;
    const parts = [...machines().slots];
    const [machine, slots] = parts[turn++ % parts.length] ?? [0, [0]];
    if (asked.has(machine)) return;
    const answered = pollMachine(machine, slots, signal)
      .catch(onFault)
      .finally(() => asked.delete(machine));
    asked.set(machine, answered);
    await Promise.race([answered, pause(pollMs, signal)]);
  };
  const polling = repeat(poll, { pauseMs: pollMs, onFault });
  const survey = repeat((signal) => surveyAll(resources, signal), { pauseMs: surveyMs, onFault });
  const ignore = committed.subscribe((clientId) => {
    awake.add(clientId);
    awakeOn.get(machines().of(clientId))?.add(clientId);
  });
  return {
    current: () => awake,
    async stop() {
      ignore();
      await Promise.all([polling.stop(), survey.stop()]);
      await Promise.all(asked.values());
    },
  };
}

/** With those that are woken because it is time. */
async function findAllAwake({ pool }: AwakeResources, slots: number[]): Promise<Awake> {
  const found = await ask(pool, findAwake(slots));
  if (!found.isAnyDue) return found;
  const woken: number[] = [];
  for (const slot of slots) woken.push(...(await ask(pool, wakeDuePartners(slot, partnersAtATime))));
  return { ...found, clientIds: [...found.clientIds, ...woken] };
}

async function letSleep({ pool }: AwakeResources, { tired, tiredSlots }: Awake, signal: AbortSignal): Promise<void> {
  const bySlot = Map.groupBy(tired.keys(), (i) => tiredSlots[i] as number);
  for (const [slot, places] of bySlot) {
    for (let i = 0; i < places.length && !signal.aborted; i += partnersAtATime) {
      const some = places.slice(i, i + partnersAtATime).map((place) => tired[place] as number);
      await inTransaction(pool, (connection) => putToSleep(connection, slot, some));
    }
  }
}

async function surveyAll(resources: AwakeResources, signal: AbortSignal): Promise<void> {
  const { pool, isDatabaseUp, machines, onFault } = resources;
  let last: number | undefined = 0;
  while (last !== undefined && !signal.aborted && isDatabaseUp()) {
    const clientIds: number[] = await ask(pool, findPartnersAfter(last, partnersAtATime));
    for (const [machine, some] of byMachine(machines(), clientIds)) {
      await wakeMissedPartners(pool, machines().slots.get(machine) ?? [], some).catch(onFault);
    }
    last = clientIds.at(-1);
    await pause(breathMs, signal);
  }
}
