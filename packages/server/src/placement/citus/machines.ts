import type pg from 'pg';
import type { Connection } from '../../engine/connection.ts';
import { type Machines, oneMachine } from '../../engine/nodes.ts';
import { keepsPlans } from '../../engine/planning.ts';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';
import { hasCitus } from './distribution.ts';
import { type Part, partOf, readParts } from './parts.ts';

// Reads from Citus on which machine the data of a partner is, and watches for changes.

export async function readMachines(connection: Connection): Promise<Machines> {
  if (!(await hasCitus(connection))) return oneMachine;
  const parts = await readParts(connection);
  return parts.length === 0 ? oneMachine : machinesOf(parts, await keepsPlans(connection));
}

function machinesOf(parts: Part[], keepPlans: boolean): Machines {
  const ofEach = Map.groupBy(parts, ({ machine }) => machine);
  return {
    keepPlans,
    of: (clientId) => partOf(parts, clientId).machine,
    addressOf: (machine) => ofEach.get(machine)?.[0],
    slots: new Map([...ofEach].map(([machine, some]) => [machine, some.flatMap(({ slot }) => slot ?? [])])),
  };
}

export interface MachinesWatch extends BackgroundWork {
  current(): Machines;
  /** A machine has broken a connection off: another may be about to take its place. */
  doubt(): void;
}

/** Data is moved from machine to machine seldom, and by hand. */
const pauseMs = 10_000;
const pauseInDoubtMs = 1000;
/** Longer than it takes to be sure that a machine is lost, and to let its standby take over. */
const inDoubtMs = 120_000;

/** A schema on one machine stays there as long as a server runs. */
export async function watchMachines(pool: pg.Pool, onFault: (error: unknown) => void): Promise<MachinesWatch> {
  let current = await readMachines(pool);
  if (current === oneMachine) return { current: () => current, doubt() {}, async stop() {} };
  let doubtedUntil = 0;
  const isInDoubt = () => performance.now() < doubtedUntil;
  const read = async () => {
    // Where it was is the best that is known while nobody says.
    current = await readMachines(pool).catch((error) => {
      onFault(error);
      return current;
    });
    return isInDoubt() ? pauseInDoubtMs : pauseMs;
  };
  const { hurry, stop } = repeat(read, { pauseMs, onFault });
  const doubt = () => {
    if (!isInDoubt()) hurry();
    doubtedUntil = performance.now() + inDoubtMs;
  };
  return { current: () => current, doubt, stop };
}
