import type { PartnerProfile } from '../../packages/server/src/domain/working-set.ts';

// For commands that are carried out without a server: a game that the partner is offered, and terms for it that hold now.

const hour = 3_600_000;

export const terms = {
  name: 'x',
  quantity: 3,
  games: ['g'],
  validFrom: Date.now() - hour,
  validUntil: Date.now() + hour,
  durationMin: null,
  minCoefficient: null,
  maxCoefficient: null,
};

export const profile: PartnerProfile = {
  offer: new Map([['g', { providerId: 'p', freeBets: true, currencies: new Set(['EUR']) }]]),
  stakeReturned: false,
  isSandbox: false,
  providerOf: () => 'p',
};
