import { type Group, inGroups, type MachinePools } from '../engine/nodes.ts';
import { ask } from '../engine/statement.ts';
import { findPartnersAfter } from '../partners/callers/sql/partners.ts';

export interface WalkResources {
  pools: MachinePools;
  isDatabaseUp(): boolean;
}

const partnersAtATime = 1000;

/** All partners, a few of one machine at a time; for what is looked for seldom. */
export async function* walkPartners(
  { pools, isDatabaseUp }: WalkResources,
  signal: AbortSignal,
): AsyncGenerator<Group> {
  let walked: number | undefined = 0;
  while (walked !== undefined) {
    if (signal.aborted || !isDatabaseUp()) return;
    const next: number[] = await ask(pools.usual, findPartnersAfter(walked, partnersAtATime));
    for (const group of inGroups(pools, next)) {
      if (signal.aborted || !isDatabaseUp()) return;
      yield group;
    }
    walked = next.at(-1);
  }
}
