import { openReadTurns, type ReadTurns } from '../read-turns.ts';

// Who may try a password now. Each takes 19 MiB and some 50 ms of a processor, so two are tried at a time, one of an address; of
// the rest a few wait, and those beyond are refused at once. A flood of them takes nothing from the service but these two.

const atATime = 2;
const waitingOfAddress = 4;
const underWayAtMost = 32;
const longestWaitMs = 5000;

export function openSignInTurns(): ReadTurns {
  const turns = openReadTurns({ turns: atATime, queueSize: waitingOfAddress, deadlineMs: longestWaitMs });
  let underWay = 0;
  return {
    async take(address, attempt) {
      if (underWay >= underWayAtMost) return undefined;
      underWay += 1;
      try {
        return await turns.take(address, attempt);
      } finally {
        underWay -= 1;
      }
    },
  };
}
