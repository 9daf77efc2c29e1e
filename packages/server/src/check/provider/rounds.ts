import { randomUUID } from 'node:crypto';
import type { OperationName } from '@freebets/contract';
import { formatInstant, formatMoney } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { betKey } from '../../promo/batch/working-set.ts';
import { coefficientLimits } from '../../promo/campaigns/campaign.ts';
import { cancelCommand, issueCommand } from '../../promo/free-bets/api.ts';
import { type FreeBet, freeBetStatus, remainingOf } from '../../promo/free-bets/free-bet.ts';
import { betOf, placeBetCommand, settleBetCommand } from '../../promo/rounds/api.ts';
import { roundBetBody } from '../../promo/rounds/bet.ts';
import { carryOut, type Memory, openMemory, timeIn } from '../memory.ts';
import { type Player, players } from './players.ts';

// The operations of a provider, under the service's own rules, on free bets that exist only for the check.

/** An unvalidated body, with the fields that the check reads. */
export interface RoundBody {
  provider_id?: string;
  client_id?: number;
  bet_id?: string;
  issue_id?: string;
  player_id?: string;
  game_id?: string;
  currency?: string;
  coefficient?: string;
  result?: string;
}

export interface Rounds {
  carryOut(operation: OperationName, body: RoundBody): Outcome;
}

export interface PlayedGame {
  providerId: string;
  gameId: string;
  currency: string;
}

export const checkClientId = 1;

export function openRounds({ providerId, gameId, currency }: PlayedGame): Rounds {
  const offer = new Map([[gameId, { providerId, freeBets: true, currencies: new Set([currency]) }]]);
  const memory = openMemory(checkClientId, {
    offer,
    stakeReturned: false,
    isSandbox: false,
    providerOf: () => providerId,
  });
  for (const player of Object.values<Player>(players)) issue(memory, player, gameId, currency);
  return {
    carryOut(operation, body) {
      const isOurs = body.client_id === checkClientId;
      if (operation === 'RoundsAvailable') return done({ free_bets: isOurs ? usable(memory, body) : [] });
      if (operation === 'RoundsOpen') return done({ bets: isOurs ? openBets(memory) : [], next_cursor: null });
      if (!isOurs) return refuse(operation === 'RoundsBet' ? 'free_bet_not_found' : 'bet_not_found');
      if (operation === 'RoundsBet') return bet(memory, body);
      if (operation === 'RoundsSettle') return carryOut(memory, settleBetCommand(body as never));
      if (operation === 'RoundsRollback') return carryOut(memory, { kind: 'roll_back_bet', ...betOf(body as never) });
      return betIn(memory, body);
    },
  };
}

function issue(memory: Memory, { id, more = {} }: Player, gameId: string, currency: string): void {
  const request = {
    ...{ issue_id: randomUUID(), player_id: id, currency, bet_amount: '1.00', quantity: 1, games: [gameId] },
    ...{ valid_until: '2101-01-01T00:00:00Z', duration_min: 1440, ...more },
  };
  carryOut(memory, issueCommand(request));
}

/** Cancels one player's free bet after it was listed and before it is used. */
function bet(memory: Memory, body: RoundBody): Outcome {
  if (body.player_id === players.refused.id) carryOut(memory, cancelCommand(body.issue_id ?? ''));
  return carryOut(memory, placeBetCommand(body as never));
}

function usable(memory: Memory, { player_id, game_id = '', currency }: RoundBody): object[] {
  const now = timeIn(memory);
  const isUsable = (freeBet: FreeBet) =>
    freeBet.playerId === player_id &&
    freeBet.currency === currency &&
    freeBet.terms.games.includes(game_id) &&
    remainingOf(freeBet) > 0 &&
    ['active', 'in_use'].includes(freeBetStatus(freeBet, now));
  return [...memory.working.freeBets.values()].filter(isUsable).map((freeBet) => ({
    issue_id: freeBet.issueId,
    currency: freeBet.currency,
    amount: formatMoney(freeBet.betAmount),
    remaining: remainingOf(freeBet),
    ...coefficientLimits(freeBet.terms),
    expires_at: formatInstant(freeBet.expiresAt),
  }));
}

function bodyOf({ working }: Memory, key: string) {
  const found = working.bets.get(key);
  if (found === undefined) return undefined;
  if (found.issueId === null) return roundBetBody({ bet: found, freeBet: null });
  const freeBet = working.freeBets.get(found.issueId);
  return freeBet && roundBetBody({ bet: found, freeBet });
}

function betIn(memory: Memory, body: RoundBody): Outcome {
  const { providerId, betId } = betOf(body as never);
  const found = bodyOf(memory, betKey(providerId, betId));
  return found === undefined ? refuse('bet_not_found') : done(found);
}

const openBets = (memory: Memory): object[] =>
  [...memory.working.bets].flatMap(([key, { state }]) => (state === 'placed' ? [bodyOf(memory, key) ?? {}] : []));
