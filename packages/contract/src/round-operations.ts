import * as campaigns from './campaigns.ts';
import { examples } from './examples.ts';
import type { OperationRows } from './operation-types.ts';
import * as rounds from './rounds.ts';

export const roundOperations = {
  RoundsAvailable: {
    tag: 'Rounds',
    summary: 'Find the free bets a player can use',
    description: 'The free bets of a player that can be used in this game now, the soonest to expire first.',
    request: rounds.AvailableRequest,
    response: rounds.AvailableResponse,
    errors: [],
    example: examples.RoundsAvailable,
  },
  RoundsBet: {
    tag: 'Rounds',
    summary: 'Place a bet with a free bet',
    description:
      'Uses one bet of a free bet. With fixed odds the `coefficient` comes here and must lie within the limits; in a crash ' +
      'game it comes with the settlement.',
    request: rounds.BetRequest,
    response: rounds.BetResponse,
    errors: [
      'free_bet_not_found',
      'game_not_covered',
      'free_bet_cancelled',
      'free_bet_not_started',
      'free_bet_used_up',
      'free_bet_expired',
      'coefficient_out_of_range',
      'bet_rolled_back',
      'id_reused',
    ],
    example: examples.RoundsBet,
  },
  RoundsSettle: {
    tag: 'Rounds',
    summary: 'Settle a bet',
    description:
      'Won or lost, once and for all. A bet placed with odds is won at these odds. Without, the `coefficient` given here ' +
      'must reach the minimum, and above the maximum the maximum is applied. The stake of a free bet is not returned, ' +
      'unless the partner is set up so.',
    request: rounds.SettleRequest,
    response: rounds.SettleResponse,
    errors: ['bet_not_found', 'bet_rolled_back', 'bet_already_settled', 'coefficient_out_of_range'],
    example: examples.RoundsSettle,
  },
  RoundsRollback: {
    tag: 'Rounds',
    summary: 'Take a bet back',
    description:
      'The bet never happened, and its free bet can be used again while it lasts. A bet that is not known yet is refused ' +
      'when it arrives later.',
    request: rounds.RollbackRequest,
    response: campaigns.Nothing,
    errors: ['bet_already_settled'],
    example: examples.RoundsRollback,
  },
  RoundsGet: {
    tag: 'Rounds',
    summary: 'Read a bet',
    description:
      'What has become of a bet of yours. Of a bet that was rolled back before it came only that is known, and the rest is null.',
    request: rounds.RoundsGetRequest,
    response: rounds.RoundsGetResponse,
    errors: ['bet_not_found'],
    example: examples.RoundsGet,
  },
  RoundsOpen: {
    tag: 'Rounds',
    summary: 'List the open bets',
    description:
      'Your bets with the free bets of this partner that are placed and neither settled nor rolled back, the oldest first. ' +
      'Go on with `next_cursor` until it is null.',
    request: rounds.RoundsOpenRequest,
    response: rounds.RoundsOpenResponse,
    errors: [],
    example: examples.RoundsOpen,
  },
} as const satisfies Partial<OperationRows>;
