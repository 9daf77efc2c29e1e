import { examples } from './examples.ts';
import * as freeBets from './free-bets.ts';
import type { OperationRows } from './operation-types.ts';
import * as sandbox from './sandbox.ts';

export const sandboxOperations = {
  SandboxClockGet: {
    tag: 'Sandbox',
    summary: 'Read the clock of a sandbox',
    description: 'What time it is for this partner, and by how much that is later than in the world.',
    request: sandbox.SandboxClockGetRequest,
    response: sandbox.SandboxClock,
    errors: ['not_a_sandbox'],
    example: examples.SandboxClockGet,
  },
  SandboxClockSet: {
    tag: 'Sandbox',
    summary: 'Set the clock of a sandbox',
    description:
      'Forward only, by at most two years at a time, and never past 2100. From then on the clock runs on from there. Whatever ' +
      'time decides for this partner follows at once, and what has expired on the way is told within two seconds, in its order.',
    request: sandbox.SandboxClockSetRequest,
    response: sandbox.SandboxClock,
    errors: ['not_a_sandbox'],
    example: examples.SandboxClockSet,
  },
  SandboxRound: {
    tag: 'Sandbox',
    summary: 'Play a round',
    description:
      'One round of the provider of the game, as `/Rounds/Bet` and then `/Rounds/Settle` or `/Rounds/Rollback` would do it, in ' +
      'the first game of the free bet unless another is named. The `coefficient` of a win comes at the end of the round, as in a ' +
      'crash game. Every call plays a round of its own: a repeated one plays another.',
    request: sandbox.SandboxRoundRequest,
    response: freeBets.FreeBetGetResponse,
    errors: [
      'not_a_sandbox',
      'free_bet_not_found',
      'game_not_covered',
      'free_bet_cancelled',
      'free_bet_not_started',
      'free_bet_used_up',
      'free_bet_expired',
      'coefficient_out_of_range',
    ],
    example: examples.SandboxRound,
  },
} as const satisfies Partial<OperationRows>;
