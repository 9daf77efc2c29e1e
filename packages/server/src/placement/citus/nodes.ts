import type pg from 'pg';
import { type Connection, type Nodes, singleNode } from '../../engine/connection.ts';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';
import { hasCitus } from './distribution.ts';
import { readShards, type Shard, shardOf } from './shards.ts';

// Reads from Citus which node has the rows of a partner, and watches for changes.

export async function readNodes(connection: Connection): Promise<Nodes> {
  if (!(await hasCitus(connection))) return singleNode;
  const shards = await readShards(connection);
  return shards.length === 0 ? singleNode : nodesOf(shards);
}

function nodesOf(shards: Shard[]): Nodes {
  const ofEach = Map.groupBy(shards, ({ node }) => node);
  return {
    of: (clientId) => shardOf(shards, clientId).node,
    addressOf: (node) => ofEach.get(node)?.[0],
    dueKeys: new Map([...ofEach].map(([node, some]) => [node, some.flatMap(({ slot }) => slot ?? [])])),
  };
}

export interface NodesWatch extends BackgroundWork {
  current(): Nodes;
  /** Polls more often for a while, because a node has closed a connection and a standby may be about to replace it. */
  doubt(): void;
}

/** Operators rarely move data between nodes. */
const pauseMs = 10_000;
const pauseInDoubtMs = 1000;
/** Longer than it takes to detect a lost node and fail over to its standby. */
const inDoubtMs = 120_000;

/** Does not watch a database with one node: its tables must not be distributed while a server runs. */
export async function watchNodes(pool: pg.Pool, onFault: (error: unknown) => void): Promise<NodesWatch> {
  let current = await readNodes(pool);
  if (current === singleNode) return { current: () => current, doubt() {}, async stop() {} };
  let doubtedUntil = 0;
  const isInDoubt = () => performance.now() < doubtedUntil;
  const read = async () => {
    // The last known state is the best available while the database does not respond.
    current = await readNodes(pool).catch((error) => {
      onFault(error);
      return current;
    });
    return isInDoubt() ? pauseInDoubtMs : pauseMs;
  };
  const { runNow, stop } = repeat(read, { pauseMs, onFault });
  const doubt = () => {
    if (!isInDoubt()) runNow();
    doubtedUntil = performance.now() + inDoubtMs;
  };
  return { current: () => current, doubt, stop };
}
