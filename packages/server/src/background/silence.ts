import type { Nodes } from '../engine/nodes.ts';

// Which nodes do not answer. One that hangs would hold up whoever asks it for as long as an answer is waited for, and with them all
// that they would ask of others. So it is asked by one alone, again and again, and by the others when it answers.

export interface Silence {
  /** A node was asked: until it has answered, it may be silent. */
  listen<T>(node: number, answer: Promise<T>): Promise<T>;
  isSilent(node: number): boolean;
}

/** Longer than a node needs for a short answer, busy as it may be. */
const patienceMs = 2000;

export function watchSilence(nodes: () => Nodes): Silence {
  /** Since when each is waited for that has not answered. */
  const waiting = new Map<number, number>();
  return {
    async listen(node, answer) {
      waiting.getOrInsertComputed(node, () => performance.now());
      const answered = await answer;
      waiting.delete(node);
      return answered;
    },
    // Where there is one alone, nobody is held up by another.
    isSilent(node) {
      const since = waiting.get(node);
      return since !== undefined && performance.now() - since > patienceMs && nodes().dueKeys.size > 1;
    },
  };
}
