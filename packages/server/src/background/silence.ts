import type { Machines } from '../engine/nodes.ts';

// Which machines do not answer. One that hangs would hold up whoever asks it for as long as an answer is waited for, and with them all
// that they would ask of others. So it is asked by one alone, again and again, and by the others when it answers.

export interface Silence {
  /** A machine was asked: until it has answered, it may be silent. */
  listen<T>(machine: number, answer: Promise<T>): Promise<T>;
  isSilent(machine: number): boolean;
}

/** Longer than a machine needs for a short answer, busy as it may be. */
const patienceMs = 2000;

export function watchSilence(machines: () => Machines): Silence {
  /** Since when each is waited for that has not answered. */
  const waiting = new Map<number, number>();
  return {
    async listen(machine, answer) {
      waiting.getOrInsertComputed(machine, () => performance.now());
      const answered = await answer;
      waiting.delete(machine);
      return answered;
    },
    // Where there is one alone, nobody is held up by another.
    isSilent(machine) {
      const since = waiting.get(machine);
      return since !== undefined && performance.now() - since > patienceMs && machines().slots.size > 1;
    },
  };
}
