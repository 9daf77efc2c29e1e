import { groupsByNode, type NodeGroup, type NodePools } from '../engine/nodes.ts';
import { ask } from '../engine/statement.ts';
import { findPartnersAfter } from './sql/due.ts';

export interface WalkResources {
  pools: NodePools;
  isDatabaseUp(): boolean;
}

const partnersAtATime = 1000;

/** All partners, a few of one node at a time; for what is looked for seldom. */
export async function* walkPartners(
  { pools, isDatabaseUp }: WalkResources,
  signal: AbortSignal,
): AsyncGenerator<NodeGroup> {
  let walked: number | undefined = 0;
  while (walked !== undefined) {
    if (signal.aborted || !isDatabaseUp()) return;
    const next: number[] = await ask(pools.usual, findPartnersAfter(walked, partnersAtATime));
    for (const group of groupsByNode(pools, next)) {
      if (signal.aborted || !isDatabaseUp()) return;
      yield group;
    }
    walked = next.at(-1);
  }
}
