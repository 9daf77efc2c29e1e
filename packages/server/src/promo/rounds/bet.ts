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

/** One use of a free bet in a round. Bet ids are per provider: another provider may use the same id for another bet. */
export interface PlacedBet {
  state: 'placed' | 'won' | 'lost' | 'rolled_back';
  providerId: string;
  betId: string;
  issueId: string;
  gameId: string;
  /** The odds, if the bet has them; null for a game whose coefficient comes with the settlement. */
  coefficient: CoefficientE4 | null;
  /** The remaining bets of the free bet after this bet, as returned when it was placed. */
  remaining: number;
  placedAt: Instant;
  /** The coefficient in the settlement request; the applied one may be lower. */
  settledCoefficient: CoefficientE4 | null;
  winAmount: bigint | null;
  settledAt: Instant | null;
  contentHash: string;
}

export type BetSnapshot = Omit<PlacedBet, 'contentHash'>;

/** Copies field by field for speed, like `freeBetSnapshot`. */
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

/** A rollback that arrived before its bet. The bet must be refused when it arrives. */
export interface RefusedBet {
  state: 'rolled_back';
  providerId: string;
  betId: string;
  issueId: null;
}

export type Bet = PlacedBet | RefusedBet;

/** The part of a free bet that limits the coefficient of its bets. */
export interface CoefficientBound {
  terms: { maxCoefficient: CoefficientE4 | null };
}

/** The coefficient that pays: at most the maximum of the free bet. */
export const appliedCoefficient = (freeBet: CoefficientBound, asked: CoefficientE4): CoefficientE4 =>
  Math.min(asked, freeBet.terms.maxCoefficient ?? asked);

export const betAnswer = (bet: PlacedBet, freeBet: FreeBetSnapshot): BetAnswer => ({
  bet_id: bet.betId,
  issue_id: freeBet.issueId,
  currency: freeBet.currency,
  amount: formatMoney(freeBet.betAmount),
  remaining: bet.remaining,
  ...coefficientLimits(freeBet.terms),
});

const appliedText = (bet: BetSnapshot, freeBet: CoefficientBound): string | null =>
  bet.settledCoefficient === null ? null : formatCoefficient(appliedCoefficient(freeBet, bet.settledCoefficient));

export const settleAnswer = (bet: PlacedBet, freeBet: FreeBetSnapshot): SettleAnswer => ({
  bet_id: bet.betId,
  result: bet.state === 'won' ? 'won' : 'lost',
  coefficient: appliedText(bet, freeBet),
  win_amount: formatMoney(bet.winAmount ?? 0n),
  currency: freeBet.currency,
});

/** The bet as shown to the partner. */
export const betBody = (bet: BetSnapshot, freeBet: CoefficientBound): BetBody => ({
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

/** A bet with the fields of its free bet that the provider may see. */
export type BetInRound =
  | { bet: PlacedBet; freeBet: Pick<FreeBet, 'playerId' | 'currency' | 'betAmount'> & CoefficientBound }
  | { bet: RefusedBet; freeBet: null };

const unknownFields = {
  ...{ issue_id: null, player_id: null, game_id: null, currency: null, amount: null },
  ...{ coefficient: null, win_amount: null, placed_at: null, settled_at: null },
};

/** The bet as shown to its provider. */
export function roundBetBody({ bet, freeBet }: BetInRound): RoundBet {
  if (freeBet === null) return { bet_id: bet.betId, status: bet.state, ...unknownFields };
  return {
    ...betBody(bet, freeBet),
    issue_id: bet.issueId,
    player_id: freeBet.playerId,
    currency: freeBet.currency,
    amount: formatMoney(freeBet.betAmount),
  };
}
