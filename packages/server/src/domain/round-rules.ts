import assert from 'node:assert';
import type { Refusal } from '@freebets/contract';
import { type Instant, winOf } from './amounts.ts';
import { appliedCoefficient, type Bet, betAnswer, type PlacedBet, settleAnswer } from './bet.ts';
import { type Book, betKey, changeFreeBet, tally, tellOfBet, tellOfFreeBet } from './book.ts';
import type { PlaceBet, RollBackBet, SettleBet } from './command.ts';
import { type FreeBet, isExpired, remainingOf } from './free-bet.ts';
import { done, type Outcome, once, refuse } from './outcome.ts';

// Rounds: a provider places a bet with a free bet, and settles it or takes it back. A bet that was rolled back never
// happened; one that was settled stays as it is.

export function placeBet(book: Book, command: PlaceBet, now: Instant): Outcome {
  const existing = book.bets.get(betKey(command.providerId, command.betId));
  if (existing?.state === 'rolled_back') return refuse('bet_rolled_back');
  return once(
    existing,
    command,
    (bet) => betAnswer(bet, freeBetOf(book, bet)),
    () => {
      const freeBet = book.freeBets.get(command.issueId);
      if (freeBet === undefined || !isWithinReach(book, freeBet, command)) return refuse('free_bet_not_found');
      const refusal = whyBetIsRefused(book, freeBet, command, now);
      if (refusal !== null) return refuse(refusal);
      freeBet.betsPlaced += 1;
      const bet = newBet(command, remainingOf(freeBet), now);
      book.bets.set(betKey(bet.providerId, bet.betId), bet);
      book.changes.newBets.add(bet);
      changeFreeBet(book, freeBet);
      tally(book, freeBet, { betsPlaced: 1 });
      tellOfBet(book, 'freebet.used', freeBet, bet);
      return done(betAnswer(bet, freeBet));
    },
  );
}

/** Another player's free bet, or one that covers no game of this provider, is as if it did not exist. */
const isWithinReach = ({ partner }: Book, { playerId, terms }: FreeBet, command: PlaceBet): boolean =>
  playerId === command.playerId && terms.games.some((game) => partner.providerOf(game) === command.providerId);

function whyBetIsRefused(
  { partner }: Book,
  freeBet: FreeBet,
  command: PlaceBet,
  now: Instant,
): Refusal['error'] | null {
  const { terms } = freeBet;
  const isOwnGame = partner.providerOf(command.gameId) === command.providerId;
  if (!isOwnGame || !terms.games.includes(command.gameId)) return 'game_not_covered';
  if (freeBet.cancelledAt !== null) return 'free_bet_cancelled';
  if (now < terms.validFrom) return 'free_bet_not_started';
  if (remainingOf(freeBet) === 0) return 'free_bet_used_up';
  if (isExpired(freeBet, now)) return 'free_bet_expired';
  if (command.coefficient !== null && !isWithinLimits(freeBet, command.coefficient)) return 'coefficient_out_of_range';
  return null;
}

const isWithinLimits = ({ terms }: FreeBet, coefficient: number): boolean =>
  coefficient >= (terms.minCoefficient ?? coefficient) && coefficient <= (terms.maxCoefficient ?? coefficient);

const newBet = ({ kind: _, playerId: __, ...given }: PlaceBet, remaining: number, now: Instant): PlacedBet => ({
  ...given,
  state: 'placed',
  remaining,
  placedAt: now,
  settledCoefficient: null,
  winAmount: null,
  settledAt: null,
});

export function settleBet(book: Book, command: SettleBet, now: Instant): Outcome {
  const bet = book.bets.get(betKey(command.providerId, command.betId));
  if (bet === undefined) return refuse('bet_not_found');
  if (bet.state === 'rolled_back') return refuse('bet_rolled_back');
  const freeBet = freeBetOf(book, bet);
  if (bet.state !== 'placed') {
    const isSame = bet.state === command.result && bet.settledCoefficient === command.coefficient;
    return isSame ? done(settleAnswer(bet, freeBet)) : refuse('bet_already_settled');
  }
  if (command.coefficient !== null && !mayPay(bet, freeBet, command.coefficient)) {
    return refuse('coefficient_out_of_range');
  }
  bet.state = command.result;
  bet.settledCoefficient = command.coefficient;
  bet.settledAt = now;
  bet.winAmount = wonBy(book, freeBet, command);
  freeBet.betsSettled += 1;
  changeBet(book, bet);
  changeFreeBet(book, freeBet);
  const isFinished = freeBet.betsSettled === freeBet.terms.quantity;
  tally(book, freeBet, { finished: isFinished ? 1 : 0, openBets: -1, winnings: bet.winAmount });
  tellOfBet(book, 'freebet.settled', freeBet, bet);
  if (isFinished) tellOfFreeBet(book, 'freebet.finished', freeBet);
  return done(settleAnswer(bet, freeBet));
}

/** Odds that came with the bet are the odds it pays; a coefficient that comes now must reach the minimum. */
const mayPay = (bet: PlacedBet, { terms }: FreeBet, coefficient: number): boolean =>
  bet.coefficient === null ? coefficient >= (terms.minCoefficient ?? coefficient) : coefficient === bet.coefficient;

const wonBy = ({ partner }: Book, freeBet: FreeBet, { coefficient }: SettleBet): bigint =>
  coefficient === null ? 0n : winOf(freeBet.betAmount, appliedCoefficient(freeBet, coefficient), partner.stakeReturned);

export function rollBackBet(book: Book, { providerId, betId }: RollBackBet, now: Instant): Outcome {
  const bet = book.bets.get(betKey(providerId, betId));
  if (bet === undefined) {
    const refused: Bet = { state: 'rolled_back', providerId, betId, issueId: null };
    book.bets.set(betKey(providerId, betId), refused);
    book.changes.newBets.add(refused);
    return done({});
  }
  if (bet.state === 'rolled_back') return done({});
  if (bet.state !== 'placed') return refuse('bet_already_settled');
  const freeBet = freeBetOf(book, bet);
  bet.state = 'rolled_back';
  changeBet(book, bet);
  giveBetBack(book, freeBet, bet, now);
  return done({});
}

/** Usable again while the free bet lasts. After that it has expired with what is left, if it had not done so before. */
function giveBetBack(book: Book, freeBet: FreeBet, bet: PlacedBet, now: Instant): void {
  const hadExpired = freeBet.swept && isExpired(freeBet, now);
  freeBet.betsPlaced -= 1;
  changeFreeBet(book, freeBet);
  tally(book, freeBet, { betsPlaced: -1 });
  tellOfBet(book, 'freebet.rolled_back', freeBet, bet);
  if (!freeBet.swept) return;
  tally(book, freeBet, { expired: hadExpired ? 0 : 1, openBets: -1 });
  if (!hadExpired) tellOfFreeBet(book, 'freebet.expired', freeBet);
}

function changeBet(book: Book, bet: Bet): void {
  if (!book.changes.newBets.has(bet)) book.changes.bets.add(bet);
}

function freeBetOf(book: Book, bet: PlacedBet): FreeBet {
  const freeBet = book.freeBets.get(bet.issueId);
  assert(freeBet, `the free bet of bet ${bet.betId} was not loaded`);
  return freeBet;
}
