import type { BetAnswer, BetBody, RoundBet, SettleAnswer } from '@freebets/contract';
import {
  type CoefficientE4,
  formatCoefficient,
  formatInstant,
  formatMoney,
  type Instant,
  timeText,
} from '../../primitives/amounts.ts';
import { coefficientLimits } from '../campaigns/campaign.ts';
import type { FreeBet, FreeBetSnapshot } from '../free-bets/free-bet.ts';

/** One use of a free bet in a round. A bet is its provider's: another provider may use the same id for another bet. */
export interface PlacedBet {
  state: 'placed' | 'won' | 'lost' | 'rolled_back';
  providerId: string;
  betId: string;
  issueId: string;
  gameId: string;
  /** The odds, where they come with the bet; null for a game whose coefficient comes with the settlement. */
  coefficient: CoefficientE4 | null;
  /** What was left after this bet, as its answer said. */
  remaining: number;
  placedAt: Instant;
  /** The coefficient that the settlement asked for; what was paid may be less. */
  settledCoefficient: CoefficientE4 | null;
  winAmount: bigint | null;
  settledAt: Instant | null;
  contentHash: string;
}

export type BetSnapshot = Omit<PlacedBet, 'contentHash'>;

/** Field by field, as that of a free bet. */
export const betSnapshot = (bet: PlacedBet): BetSnapshot => ({
  state: bet.state,
  providerId: bet.providerId,
  betId: bet.betId,
  issueId: bet.issueId,
  gameId: bet.gameId,
  coefficient: bet.coefficient,
  remaining: bet.remaining,
  placedAt: bet.placedAt,
  settledCoefficient: bet.settledCoefficient,
  winAmount: bet.winAmount,
  settledAt: bet.settledAt,
});

/** A rollback that came before its bet: all that is known is that this bet must never happen. */
export interface RefusedBet {
  state: 'rolled_back';
  providerId: string;
  betId: string;
  issueId: null;
}

export type Bet = PlacedBet | RefusedBet;

/** What bounds the coefficient of a bet: the terms of its free bet. */
export interface Bounded {
  terms: { maxCoefficient: CoefficientE4 | null };
}

/** The coefficient that counts: above the maximum, the maximum is applied. */
export const appliedCoefficient = (freeBet: Bounded, asked: CoefficientE4): CoefficientE4 =>
  Math.min(asked, freeBet.terms.maxCoefficient ?? asked);

export const betAnswer = (bet: PlacedBet, freeBet: FreeBetSnapshot): BetAnswer => ({
  bet_id: bet.betId,
  issue_id: freeBet.issueId,
  currency: freeBet.currency,
  amount: formatMoney(freeBet.betAmount),
  remaining: bet.remaining,
  ...coefficientLimits(freeBet.terms),
});

const appliedText = (bet: BetSnapshot, freeBet: Bounded): string | null =>
  bet.settledCoefficient === null ? null : formatCoefficient(appliedCoefficient(freeBet, bet.settledCoefficient));

export const settleAnswer = (bet: PlacedBet, freeBet: FreeBetSnapshot): SettleAnswer => ({
  bet_id: bet.betId,
  result: bet.state === 'won' ? 'won' : 'lost',
  coefficient: appliedText(bet, freeBet),
  win_amount: formatMoney(bet.winAmount ?? 0n),
  currency: freeBet.currency,
});

/** As the partner sees it. */
export const betBody = (bet: BetSnapshot, freeBet: Bounded): BetBody => ({
  bet_id: bet.betId,
  game_id: bet.gameId,
  status: bet.state,
  coefficient:
    bet.settledCoefficient === null && bet.coefficient !== null
      ? formatCoefficient(bet.coefficient)
      : appliedText(bet, freeBet),
  win_amount: bet.winAmount === null ? null : formatMoney(bet.winAmount),
  placed_at: formatInstant(bet.placedAt),
  settled_at: timeText(bet.settledAt),
});

/** A bet with what its provider is told of the free bet it stands against. */
export type BetInRound =
  | { bet: PlacedBet; freeBet: Pick<FreeBet, 'playerId' | 'currency' | 'betAmount'> & Bounded }
  | { bet: RefusedBet; freeBet: null };

const nothingKnown = {
  ...{ issue_id: null, player_id: null, game_id: null, currency: null, amount: null },
  ...{ coefficient: null, win_amount: null, placed_at: null, settled_at: null },
};

/** As its provider sees it. */
export function roundBetBody({ bet, freeBet }: BetInRound): RoundBet {
  if (freeBet === null) return { bet_id: bet.betId, status: bet.state, ...nothingKnown };
  return {
    ...betBody(bet, freeBet),
    issue_id: bet.issueId,
    player_id: freeBet.playerId,
    currency: freeBet.currency,
    amount: formatMoney(freeBet.betAmount),
  };
}
