import { openReadTurns, type ReadTurns } from '../calls/read-turns.ts';

// Who may try a password now. Each takes 19 MiB and some 50 ms of a processor, so two are tried at a time, one of an address; of
// the rest a few wait, and one of the address with most waiting is refused for each beyond. A flood of them takes nothing from the
// service but these two, and strangers at a few addresses keep nobody from signing in at another.

const atATime = 2;
const waitingOfAddress = 4;
const waitingInAll = 30;
const longestWaitMs = 5000;

export const openSignInTurns = (): ReadTurns =>
  openReadTurns({ turns: atATime, queueSize: waitingOfAddress, deadlineMs: longestWaitMs, waitingInAll });
