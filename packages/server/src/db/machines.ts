import type pg from 'pg';
import { type BackgroundWork, repeat } from '../background/repeat.ts';
import type { Connection } from './connection.ts';
import { hasCitus } from './distribution.ts';
import { type Part, partOf, readParts } from './parts.ts';

// On which machine the data of a partner is. Nothing is wrong where that is not known, or has just changed: then a transaction is on
// two machines, or one that is down is asked about partners of another.

export type Address = Pick<Part, 'host' | 'port'>;

export interface Machines {
  /** A number for each. */
  of(clientId: number): number;
  /** Where a machine can be reached, as the others know it; undefined where there is one alone. */
  addressOf(machine: number): Address | undefined;
  /** Where what is due stands, by machine. */
  slots: ReadonlyMap<number, number[]>;
}

/** All on one. */
export const oneMachine: Machines = { of: () => 0, addressOf: () => undefined, slots: new Map([[0, [0]]]) };

export async function readMachines(connection: Connection): Promise<Machines> {
  if (!(await hasCitus(connection))) return oneMachine;
  const parts = await readParts(connection);
  return parts.length === 0 ? oneMachine : machinesOf(parts);
}

function machinesOf(parts: Part[]): Machines {
  const ofEach = Map.groupBy(parts, ({ machine }) => machine);
  return {
    of: (clientId) => partOf(parts, clientId).machine,
    addressOf: (machine) => ofEach.get(machine)?.[0],
    slots: new Map([...ofEach].map(([machine, some]) => [machine, some.flatMap(({ slot }) => slot ?? [])])),
  };
}

/** Those on each machine. */
export const byMachine = (machines: Machines, clientIds: Iterable<number>): Map<number, number[]> =>
  Map.groupBy(clientIds, machines.of);

/**
 * What a statement looks up for each of its partners takes longer the more of them there are, where all are named again (`isAmong`): for
 * 100 of them twice as long as by their ids alone, for 500 six times.
 */
const partnersAtATime = 100;

const fewAtATime = (clientIds: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(clientIds.length / partnersAtATime) }, (_, i) =>
    clientIds.slice(i * partnersAtATime, (i + 1) * partnersAtATime),
  );

/** A few at a time that are on one machine: whoever asks about them asks no other, and waits for no other. */
export const inGroups = (machines: Machines, clientIds: Iterable<number>): number[][] =>
  [...byMachine(machines, clientIds).values()].flatMap(fewAtATime);

/** For what is asked very often: those of one machine at a time, the next one with each turn, so that it costs no more where there are many. */
export function takingTurns(machines: () => Machines): (clientIds: Iterable<number>) => number[][] {
  let turn = 0;
  return (clientIds) => {
    const all = [...machines().slots.keys()];
    const machine = all[turn++ % all.length] as number;
    return fewAtATime(byMachine(machines(), clientIds).get(machine) ?? []);
  };
}

export interface MachinesWatch extends BackgroundWork {
  current(): Machines;
}

/** Data is moved from machine to machine seldom, and by hand. */
const pauseMs = 10_000;

/** A schema on one machine stays there as long as a server runs. */
export async function watchMachines(pool: pg.Pool, onFault: (error: unknown) => void): Promise<MachinesWatch> {
  let current = await readMachines(pool);
  if (current === oneMachine) return { current: () => current, async stop() {} };
  const read = async () => {
    current = await readMachines(pool);
  };
  const { stop } = repeat(read, { pauseMs, onFault });
  return { current: () => current, stop };
}
