import type { IssueDirect } from '@freebets/contract';

// The players of the provider check. The name of a player decides how requests about it are treated.

export interface Player {
  id: string;
  /** What the tester must do in the game as this player. */
  task: string;
  more?: Partial<IssueDirect>;
}

export const players = {
  round: { id: 'check-round', task: 'play a round to its end', more: { quantity: 3 } },
  lostBet: { id: 'check-lost-bet', task: 'play a round: the response to the bet is lost', more: { quantity: 3 } },
  lostSettlement: { id: 'check-lost-settlement', task: 'play a round: the response to the settlement is lost' },
  timeOut: { id: 'check-time-out', task: 'begin a round: the bet never gets a response', more: { quantity: 3 } },
  busy: { id: 'check-busy', task: 'play a round: the service is busy at first' },
  limits: {
    id: 'check-limits',
    task: 'play rounds until one is won: only coefficients from 2.00 to 3.00 are allowed',
    more: { quantity: 20, config: { min_coefficient: '2.00', max_coefficient: '3.00' } },
  },
  usedUp: { id: 'check-used-up', task: 'try to play two rounds: the free bet has one bet only' },
  refused: { id: 'check-refused', task: 'try to play a round: the free bet is cancelled just before the bet' },
} as const satisfies Record<string, Player>;
