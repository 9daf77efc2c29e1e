import assert from 'node:assert';
import type { Refusal } from '@freebets/contract';
import { type CoefficientE4, formatCoefficient, type Instant, winOf } from '../../primitives/amounts.ts';
import { done, idempotently, refuse } from '../../primitives/outcome.ts';
import type { CommandResults, PlaceBet, RollBackBet, SettleBet } from '../batch/command.ts';
import type { Rule } from '../batch/needs.ts';
import {
  addBet,
  betKey,
  changeFreeBet,
  emitBetEvent,
  emitFreeBetEvent,
  tally,
  type WorkingSet,
} from '../batch/working-set.ts';
import { type FreeBet, isExpired, remainingOf } from '../free-bets/free-bet.ts';
import { appliedCoefficient, type Bet, betAnswer, type PlacedBet, settleAnswer } from './bet.ts';

// A game provider places a bet with a free bet, and then settles it or rolls it back. A rolled-back bet counts as never
// placed; a settled bet never changes.

export const placeBet: Rule<PlaceBet, CommandResults['place_bet']> = {
  needs: ({ issueId, providerId, betId }) => ({ issueId, bet: { providerId, betId } }),
  decide(working, command, now) {
    const existing = working.bets.get(betKey(command.providerId, command.betId));
    if (existing?.state === 'rolled_back') return refuse('bet_rolled_back');
    return idempotently(
      existing,
      command,
      (bet) => betAnswer(bet, freeBetOf(working, bet)),
      () => {
        const freeBet = working.freeBets.get(command.issueId);
        if (freeBet === undefined || !isVisible(working, freeBet, command)) return refuse('free_bet_not_found');
        const refusal = betRefusal(working, freeBet, command, now);
        if (refusal !== null) return { ok: false, ...refusal };
        freeBet.betsPlaced += 1;
        const bet = newBet(command, remainingOf(freeBet), now);
        addBet(working, bet);
        working.changes.newBets.add(bet);
        changeFreeBet(working, freeBet);
        tally(working, freeBet, { betsPlaced: 1 });
        emitBetEvent(working, 'freebet.used', freeBet, bet);
        return done(betAnswer(bet, freeBet));
      },
    );
  },
};

/** For a provider, another player's free bet does not exist, nor does one that covers none of the provider's games. */
const isVisible = ({ partner }: WorkingSet, { playerId, terms }: FreeBet, command: PlaceBet): boolean =>
  playerId === command.playerId && terms.games.some((game) => partner.providerOf(game) === command.providerId);

export function betRefusal({ partner }: WorkingSet, freeBet: FreeBet, command: PlaceBet, now: Instant): Refusal | null {
  const { terms } = freeBet;
  const isOwnGame = partner.providerOf(command.gameId) === command.providerId;
  if (!isOwnGame || !terms.games.includes(command.gameId)) return { error: 'game_not_covered' };
  if (freeBet.cancelledAt !== null) return { error: 'free_bet_cancelled' };
  if (now < terms.validFrom) return { error: 'free_bet_not_started' };
  if (remainingOf(freeBet) === 0) return { error: 'free_bet_used_up' };
  if (isExpired(freeBet, now)) return { error: 'free_bet_expired' };
  return command.coefficient === null
    ? null
    : (belowMinimum(freeBet, command.coefficient) ?? aboveMaximum(freeBet, command.coefficient));
}

const belowMinimum = ({ terms: { minCoefficient } }: FreeBet, coefficient: CoefficientE4): Refusal | null =>
  minCoefficient !== null && coefficient < minCoefficient
    ? wrongCoefficient(`must be at least ${formatCoefficient(minCoefficient)}, the minimum of the free bet`)
    : null;

const aboveMaximum = ({ terms: { maxCoefficient } }: FreeBet, coefficient: CoefficientE4): Refusal | null =>
  maxCoefficient !== null && coefficient > maxCoefficient
    ? wrongCoefficient(`must be at most ${formatCoefficient(maxCoefficient)}, the maximum of the free bet`)
    : null;

const wrongCoefficient = (reason: string): Refusal => ({
  error: 'coefficient_out_of_range',
  details: [{ field: 'coefficient', reason }],
});

const newBet = (command: PlaceBet, remaining: number, now: Instant): PlacedBet => ({
  state: 'placed',
  providerId: command.providerId,
  betId: command.betId,
  issueId: command.issueId,
  gameId: command.gameId,
  coefficient: command.coefficient,
  contentHash: command.contentHash,
  remaining,
  placedAt: now,
  settledCoefficient: null,
  winAmount: null,
  settledAt: null,
});

export const settleBet: Rule<SettleBet, CommandResults['settle_bet']> = {
  needs: ({ providerId, betId }) => ({ bet: { providerId, betId } }),
  decide(working, command, now) {
    const bet = working.bets.get(betKey(command.providerId, command.betId));
    if (bet === undefined) return refuse('bet_not_found');
    if (bet.state === 'rolled_back') return refuse('bet_rolled_back');
    const freeBet = freeBetOf(working, bet);
    if (bet.state !== 'placed') {
      const isSame = bet.state === command.result && bet.settledCoefficient === command.coefficient;
      return isSame ? done(settleAnswer(bet, freeBet)) : refuse('bet_already_settled');
    }
    const refusal = settlementRefusal(bet, freeBet, command.coefficient);
    if (refusal !== null) return { ok: false, ...refusal };
    bet.state = command.result;
    bet.settledCoefficient = command.coefficient;
    bet.settledAt = now;
    bet.winAmount = winAmountOf(freeBet, command);
    freeBet.betsSettled += 1;
    changeBet(working, bet);
    changeFreeBet(working, freeBet);
    const isFinished = freeBet.betsSettled === freeBet.terms.quantity;
    tally(working, freeBet, { finished: isFinished ? 1 : 0, openBets: -1, winnings: bet.winAmount });
    emitBetEvent(working, 'freebet.settled', freeBet, bet);
    if (isFinished) emitFreeBetEvent(working, 'freebet.finished', freeBet);
    return done(settleAnswer(bet, freeBet));
  },
};

/** If the bet has odds, the settlement must use them; otherwise its coefficient must reach the minimum. */
export function settlementRefusal(
  bet: Pick<PlacedBet, 'coefficient'>,
  freeBet: FreeBet,
  coefficient: CoefficientE4 | null,
): Refusal | null {
  if (coefficient === null) return null;
  if (bet.coefficient === null) return belowMinimum(freeBet, coefficient);
  if (coefficient === bet.coefficient) return null;
  return wrongCoefficient(`must be ${formatCoefficient(bet.coefficient)}, the coefficient of the bet`);
}

const winAmountOf = (freeBet: FreeBet, { coefficient }: SettleBet): bigint =>
  coefficient === null
    ? 0n
    : winOf(freeBet.betAmount, appliedCoefficient(freeBet, coefficient), freeBet.terms.stakeReturned);

export const rollBackBet: Rule<RollBackBet, CommandResults['roll_back_bet']> = {
  needs: ({ providerId, betId }) => ({ bet: { providerId, betId } }),
  decide(working, { providerId, betId }, now) {
    const bet = working.bets.get(betKey(providerId, betId));
    if (bet === undefined) {
      const refused: Bet = { state: 'rolled_back', providerId, betId, issueId: null };
      addBet(working, refused);
      working.changes.newBets.add(refused);
      return done({});
    }
    if (bet.state === 'rolled_back') return done({});
    if (bet.state !== 'placed') return refuse('bet_already_settled');
    const freeBet = freeBetOf(working, bet);
    bet.state = 'rolled_back';
    changeBet(working, bet);
    returnBet(working, freeBet, bet, now);
    return done({});
  },
};

/** The player can use the bet again until the free bet expires. After the expiry, the returned bet expires as well. */
function returnBet(working: WorkingSet, freeBet: FreeBet, bet: PlacedBet, now: Instant): void {
  const hadExpired = freeBet.swept && isExpired(freeBet, now);
  freeBet.betsPlaced -= 1;
  changeFreeBet(working, freeBet);
  tally(working, freeBet, { betsPlaced: -1 });
  emitBetEvent(working, 'freebet.rolled_back', freeBet, bet);
  if (!freeBet.swept) return;
  tally(working, freeBet, { expired: hadExpired ? 0 : 1, openBets: -1 });
  if (!hadExpired) emitFreeBetEvent(working, 'freebet.expired', freeBet);
}

function changeBet(working: WorkingSet, bet: Bet): void {
  if (!working.changes.newBets.has(bet)) working.changes.bets.add(bet);
}

function freeBetOf(working: WorkingSet, bet: PlacedBet): FreeBet {
  const freeBet = working.freeBets.get(bet.issueId);
  assert(freeBet, `the free bet of bet ${bet.betId} was not loaded`);
  return freeBet;
}
