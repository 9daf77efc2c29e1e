import assert from 'node:assert';
import type { BetBody } from '@freebets/contract';
import { done, refuse } from '../../primitives/outcome.ts';
import { clockBody, clockErrors } from '../../primitives/sandbox-clock.ts';
import { type CommandResults, contentHash, type PlaceBet, type PlayRound, type SetClock } from '../batch/command.ts';
import type { Rule } from '../batch/needs.ts';
import type { WorkingSet } from '../batch/working-set.ts';
import { type FreeBet, freeBetBody } from '../free-bets/free-bet.ts';
import { betBody, type PlacedBet } from '../rounds/bet.ts';
import { betRefusal, placeBet, rollBackBet, settleBet, settlementRefusal } from '../rounds/rules.ts';

// Operations for sandboxes only. A partner is a sandbox if it has its own clock.

/**
 * All commands of a batch share one instant, including those after this one: the clock moves when the batch commits.
 * The last time can be set again, so that a request whose response was lost can be repeated.
 */
export const setClock: Rule<SetClock, CommandResults['set_clock']> = {
  needs: () => ({ usesClock: true }),
  decide(working, { to }) {
    const { clock } = working;
    if (clock === null) return refuse('not_a_sandbox');
    if (clock.setTo === to) return done(clockBody(clock));
    const reasons = clockErrors(clock, to);
    if (reasons.length > 0) return refuse('invalid_request', reasons);
    clock.aheadMs = to - clock.worldNow;
    clock.setTo = to;
    working.changes.clocks.add(clock);
    return done(clockBody(clock));
  },
};

/** Plays a whole round as the game's provider, from the bet to its result, by the rules of rounds. It is atomic. */
export const playRound: Rule<PlayRound, CommandResults['play_round']> = {
  needs: ({ issueId }) => ({ usesClock: true, issueId, showsBets: true }),
  decide(working, command, now) {
    if (working.clock === null) return refuse('not_a_sandbox');
    const freeBet = working.freeBets.get(command.issueId);
    if (freeBet === undefined) return refuse('free_bet_not_found');
    const bet = betOfRound(working, freeBet.playerId, command, freeBet.terms.games);
    const { coefficient, result } = command;
    const refusal = betRefusal(working, freeBet, bet, now) ?? settlementRefusal(bet, freeBet, coefficient);
    if (refusal !== null) return { ok: false, ...refusal };
    assert(placeBet.decide(working, bet, now).ok, 'a bet that nothing speaks against is placed');
    const { providerId, betId } = bet;
    const ended =
      result === 'rolled_back'
        ? rollBackBet.decide(working, { kind: 'roll_back_bet', providerId, betId }, now)
        : settleBet.decide(working, { kind: 'settle_bet', providerId, betId, result, coefficient }, now);
    assert(ended.ok, 'a bet that was just placed ends as it should');
    return done({ ...freeBetBody(freeBet, now), bets: standingBetsOf(working, freeBet) });
  },
};

/** The bets of the free bet that were not rolled back, in the order they were placed. */
const standingBetsOf = ({ bets, betKeysOf }: WorkingSet, freeBet: FreeBet): BetBody[] =>
  [...(betKeysOf.get(freeBet.issueId) ?? [])]
    .map((key) => bets.get(key) as PlacedBet)
    .filter(({ state }) => state !== 'rolled_back')
    .toSorted((a, b) => a.placedAt - b.placedAt || b.remaining - a.remaining || (a.betId < b.betId ? -1 : 1))
    .map((bet) => betBody(bet, freeBet));

/**
 * Uses the first game of the free bet unless the request names one. A game without a provider is covered by no free
 * bet.
 */
function betOfRound({ partner }: WorkingSet, playerId: string, command: PlayRound, games: readonly string[]): PlaceBet {
  const { issueId, betId } = command;
  const gameId = command.gameId ?? games[0] ?? '';
  const providerId = partner.providerOf(gameId) ?? '';
  const given = { issueId, playerId, gameId, coefficient: null };
  return { kind: 'place_bet', providerId, betId, ...given, contentHash: contentHash(Object.values(given)) };
}
