import type pg from 'pg';

// On which machine the data of a partner is. Nothing is wrong where that is not known, or has just changed: then a transaction is on
// two machines, or one that is down is asked about partners of another.

export interface Address {
  host: string;
  port: number;
}

export interface Machines {
  /** A number for each. */
  of(clientId: number): number;
  /** Where a machine can be reached, as the others know it; undefined where there is one alone. */
  addressOf(machine: number): Address | undefined;
  /** Where what is due stands, by machine. */
  slots: ReadonlyMap<number, number[]>;
  /** Whether they keep the plan of a simple statement, as the one that was asked does. */
  keepPlans: boolean;
}

/** All on one. */
export const oneMachine: Machines = {
  ...{ of: () => 0, addressOf: () => undefined, slots: new Map([[0, [0]]]) },
  keepPlans: true,
};

/** Those on each machine. */
export const byMachine = (machines: Machines, clientIds: Iterable<number>): Map<number, number[]> =>
  Map.groupBy(clientIds, machines.of);

/** Connections of one kind to all machines. */
export interface MachinePools {
  machines(): Machines;
  /** For what is asked of no partner, or of all. */
  usual: pg.Pool;
  /** For what is asked of a machine: to itself where that is wanted, else the usual ones. */
  of(machine: number): pg.Pool;
  /** Up to so many rows are sent as plain values; none on one machine. */
  plainRows(): number;
  /** It has not answered for a while: the work in the background waits until it does, and meanwhile does not wait for it. */
  isSilent(machine: number): boolean;
}

export const isOnSilent = ({ machines, isSilent }: MachinePools, clientId: number): boolean =>
  isSilent(machines().of(clientId));

export const poolFor = ({ machines, of }: MachinePools, clientId: number): pg.Pool => of(machines().of(clientId));

export const areMany = ({ machines }: Pick<MachinePools, 'machines'>): boolean => machines() !== oneMachine;

/**
 * Keeps one object for each pool, opened on first use, so that callers waiting for a machine that hangs do not hold up callers of
 * other machines. Drops idle objects whose pool no machine uses any more.
 */
export function openPerPool<T>(pools: MachinePools, open: () => T, isIdle: (one: T) => boolean = () => true) {
  const opened = new Map<pg.Pool, T>();
  const forgetUnused = () => {
    const current = new Set([...pools.machines().slots.keys()].map((machine) => pools.of(machine)));
    for (const [pool, one] of opened) if (!current.has(pool) && isIdle(one)) opened.delete(pool);
  };
  return {
    of: (clientId: number): T =>
      opened.getOrInsertComputed(poolFor(pools, clientId), () => {
        forgetUnused();
        return open();
      }),
    all: () => [...opened.values()],
  };
}

/** Partners that are on one machine. */
export interface Group {
  pool: pg.Pool;
  machine: number;
  clientIds: number[];
}

/**
 * What a statement looks up for each of its partners takes longer the more of them there are, where all are named again (`isAmong`): for
 * 100 of them twice as long as by their ids alone, for 500 six times.
 */
const partnersAtATime = 100;

/**
 * A few at a time: whoever asks about them asks no other machine, and waits for no other. Those on a machine that is silent by the time
 * that it is their turn are left out.
 */
export function* inGroups(
  pools: MachinePools,
  clientIds: Iterable<number>,
  most = partnersAtATime,
): Generator<Group, void> {
  for (const [machine, some] of byMachine(pools.machines(), clientIds)) {
    for (let i = 0; i < some.length && !pools.isSilent(machine); i += most) {
      yield { pool: pools.of(machine), machine, clientIds: some.slice(i, i + most) };
    }
  }
}

/** For what is asked very often: those of one machine at a time, the next one with each turn, so that it costs no more where there are many. */
export function takingTurns(pools: MachinePools): (clientIds: Iterable<number>) => Iterable<Group> {
  let turn = 0;
  return (clientIds) => {
    const all = [...pools.machines().slots.keys()];
    const machine = all[turn++ % all.length] as number;
    return inGroups(pools, byMachine(pools.machines(), clientIds).get(machine) ?? []);
  };
}
