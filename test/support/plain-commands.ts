import { randomUUID } from 'node:crypto';
import type { PartnerProfile } from '../../packages/server/src/partners/profile.ts';
import type { Command } from '../../packages/server/src/promo/batch/command.ts';

// For commands that run without a server: a game that the partner is offered, and terms for it that are valid now.

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

/** So long that a row holds the events of two such free bets. */
const longGames = Array.from({ length: 400 }, (_, i) => `${i}`.padEnd(255, 'x'));
const game = { providerId: 'p', freeBets: true, currencies: new Set(['EUR']) };

export const profile: PartnerProfile = {
  offer: new Map(['g', ...longGames].map((id) => [id, game])),
  stakeReturned: false,
  isSandbox: false,
  providerOf: () => 'p',
};

/** Issues whose events are too long for one row. */
export const longIssues = (count: number): Command[] =>
  Array.from({ length: count }, () => ({
    kind: 'issue_direct',
    issueId: randomUUID(),
    playerId: 'p',
    currency: 'EUR',
    betAmount: 100,
    terms: { ...terms, games: longGames },
    contentHash: '0'.repeat(32),
  }));

export const placeBet = (issueId: string, betId: string, contentHash: string): Command => ({
  kind: 'place_bet',
  providerId: 'p',
  betId,
  issueId,
  playerId: 'player',
  gameId: 'g',
  coefficient: null,
  contentHash,
});
