import type pg from 'pg';

// Which node of the database has the rows of a partner; a single PostgreSQL is one node. An outdated map does no harm:
// a transaction spans two nodes, or a query for a partner goes to a node that is down.

export interface Address {
  host: string;
  port: number;
}

export interface Nodes {
  /** The number of the node that has the rows of this partner. */
  of(clientId: number): number;
  /** The address of a node, as the other nodes know it; undefined if there is only one. */
  addressOf(node: number): Address | undefined;
  /** The keys under which each node stores its due partners. */
  dueKeys: ReadonlyMap<number, number[]>;
  /** Whether nodes keep the plan of a simple prepared statement. */
  keepPlans: boolean;
}

/** One PostgreSQL has the rows of all partners. */
export const singleNode: Nodes = {
  ...{ of: () => 0, addressOf: () => undefined, dueKeys: new Map([[0, [0]]]) },
  keepPlans: true,
};

/** The partners on each node. */
export const byNode = (nodes: Nodes, clientIds: Iterable<number>): Map<number, number[]> =>
  Map.groupBy(clientIds, nodes.of);

/** Connections of one kind to all nodes. */
export interface NodePools {
  nodes(): Nodes;
  /** For statements about no partner, or about all. */
  usual: pg.Pool;
  /** For statements about partners of one node: its own pool if direct connections are on, else the usual one. */
  of(node: number): pg.Pool;
  /** Up to this many rows are sent as plain values; 0 on a single node. */
  plainRows(): number;
  /** The node has not responded for a while: background work skips it until it does. */
  isUnresponsive(node: number): boolean;
}

export const isOnUnresponsiveNode = ({ nodes, isUnresponsive }: NodePools, clientId: number): boolean =>
  isUnresponsive(nodes().of(clientId));

export const poolFor = ({ nodes, of }: NodePools, clientId: number): pg.Pool => of(nodes().of(clientId));

export const hasManyNodes = ({ nodes }: Pick<NodePools, 'nodes'>): boolean => nodes() !== singleNode;

/**
 * Keeps one object for each pool, opened on first use, so that callers waiting for a node that hangs do not hold up
 * callers of other nodes. Drops idle objects whose pool no node uses any more.
 */
export function openPerPool<T>(pools: NodePools, open: () => T, isIdle: (one: T) => boolean = () => true) {
  const opened = new Map<pg.Pool, T>();
  const forgetUnused = () => {
    const current = new Set([...pools.nodes().dueKeys.keys()].map((node) => pools.of(node)));
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

/** Some partners on one node. */
export interface NodeGroup {
  pool: pg.Pool;
  node: number;
  clientIds: number[];
}

/**
 * A statement that names its partners twice (`isAmong`) takes longer per partner the more it names: twice as long for
 * 100 partners, six times for 500.
 */
const partnersAtATime = 100;

/** A few partners of one node at a time, so that each query waits for one node only. Skips nodes that are unresponsive by then. */
export function* groupsByNode(
  pools: NodePools,
  clientIds: Iterable<number>,
  most = partnersAtATime,
): Generator<NodeGroup, void> {
  for (const [node, some] of byNode(pools.nodes(), clientIds)) {
    for (let i = 0; i < some.length && !pools.isUnresponsive(node); i += most) {
      yield { pool: pools.of(node), node, clientIds: some.slice(i, i + most) };
    }
  }
}

/** For frequent polls: each call returns the partners of the next node, so a poll costs the same with many nodes. */
export function oneNodeAtATime(pools: NodePools): (clientIds: Iterable<number>) => Iterable<NodeGroup> {
  let turn = 0;
  return (clientIds) => {
    const all = [...pools.nodes().dueKeys.keys()];
    const node = all[turn++ % all.length] as number;
    return groupsByNode(pools, byNode(pools.nodes(), clientIds).get(node) ?? []);
  };
}
