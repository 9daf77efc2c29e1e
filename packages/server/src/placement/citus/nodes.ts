import type pg from 'pg';
import { type Connection, type Nodes, singleNode } from '../../engine/connection.ts';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';
import { keepsPlans } from './connection.ts';
import { hasCitus } from './distribution.ts';
import { type Part, partOf, readParts } from './parts.ts';

// Reads from Citus on which node the data of a partner is, and watches for changes.

export async function readNodes(connection: Connection): Promise<Nodes> {
  if (!(await hasCitus(connection))) return singleNode;
  const parts = await readParts(connection);
  return parts.length === 0 ? singleNode : nodesOf(parts, await keepsPlans(connection));
}

function nodesOf(parts: Part[], keepPlans: boolean): Nodes {
  const ofEach = Map.groupBy(parts, ({ machine }) => machine);
  return {
    keepPlans,
    of: (clientId) => partOf(parts, clientId).machine,
    addressOf: (node) => ofEach.get(node)?.[0],
    dueKeys: new Map([...ofEach].map(([node, some]) => [node, some.flatMap(({ slot }) => slot ?? [])])),
  };
}

export interface NodesWatch extends BackgroundWork {
  current(): Nodes;
  /** A node has broken a connection off: another may be about to take its place. */
  doubt(): void;
}

/** Data is moved from node to node seldom, and by hand. */
const pauseMs = 10_000;
const pauseInDoubtMs = 1000;
/** Longer than it takes to be sure that a node is lost, and to let its standby take over. */
const inDoubtMs = 120_000;

/** A schema on one node stays there as long as a server runs. */
export async function watchNodes(pool: pg.Pool, onFault: (error: unknown) => void): Promise<NodesWatch> {
  let current = await readNodes(pool);
  if (current === singleNode) return { current: () => current, doubt() {}, async stop() {} };
  let doubtedUntil = 0;
  const isInDoubt = () => performance.now() < doubtedUntil;
  const read = async () => {
    // Where it was is the best that is known while nobody says.
    current = await readNodes(pool).catch((error) => {
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
