import { BetId, type BetRequest, type RequestOf, type ResponseOf, type SettleRequest } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Handlers } from '../../calls/call.ts';
import { pageCursorsOf, pageWanted } from '../../calls/cursor.ts';
import { readInTurn } from '../../calls/fair-queue.ts';
import { ask } from '../../engine/statement.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { formatCoefficient, formatInstant, formatMoney } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { type CommandOf, contentHash } from '../batch/command.ts';
import { findUsableFreeBets } from '../free-bets/sql.ts';
import { type SubmitServices, submitCommand } from '../submit.ts';
import { coefficientOf } from '../terms.ts';
import { roundBetBody } from './bet.ts';
import { getBet, listOpenBets } from './sql.ts';

// The operations of game providers.

type Name = 'RoundsAvailable' | 'RoundsBet' | 'RoundsSettle' | 'RoundsRollback' | 'RoundsGet' | 'RoundsOpen';

const cursors = pageCursorsOf(BetId);

export const roundHandlers: Handlers<Name, SubmitServices> = {
  RoundsAvailable: (call, body) =>
    readInTurn(call, body.client_id, (pool) => readAvailable(pool, call.services.partnerProfile(body.client_id), body)),

  RoundsBet: (call, body) => submitCommand(call, body, placeBetCommand(body)),
  RoundsSettle: (call, body) => submitCommand(call, body, settleBetCommand(body)),
  RoundsRollback: (call, body) => submitCommand(call, body, { kind: 'roll_back_bet', ...betOf(body) }),

  // A bet of another provider and an unknown partner get the same "not found" in the same time.
  RoundsGet: (call, body) =>
    readInTurn(call, body.client_id, async (pool) => {
      const { providerId, betId } = betOf(body);
      const found = await ask(pool, getBet(body.client_id, providerId, betId));
      return found === undefined ? refuse('bet_not_found') : done(roundBetBody(found));
    }),

  RoundsOpen: (call, body) => readInTurn(call, body.client_id, (pool) => readOpenBets(pool, body)),
};

export function placeBetCommand(request: BetRequest): CommandOf<'place_bet'> {
  const { issue_id: issueId, player_id: playerId, game_id: gameId } = request;
  const coefficient = coefficientOf(request.coefficient);
  const hash = contentHash([issueId, playerId, gameId, coefficient]);
  return { ...betOf(request), kind: 'place_bet', issueId, playerId, gameId, coefficient, contentHash: hash };
}

export const settleBetCommand = (request: SettleRequest): CommandOf<'settle_bet'> => ({
  ...betOf(request),
  kind: 'settle_bet',
  result: request.result,
  coefficient: coefficientOf(request.coefficient),
});

export const betOf = ({ provider_id, bet_id }: { provider_id: string; bet_id: string }) => ({
  providerId: provider_id,
  betId: bet_id,
});

/** A partner that does not exist gives the same result, in the same time, as one without free bets. */
async function readAvailable(
  pool: Pool,
  { providerOf }: PartnerProfile,
  body: RequestOf<'RoundsAvailable'>,
): Promise<Outcome<ResponseOf<'RoundsAvailable'>>> {
  const { client_id, provider_id, player_id, game_id, currency } = body;
  const isOwnGame = providerOf(game_id) === provider_id;
  const rows = isOwnGame ? await ask(pool, findUsableFreeBets(client_id, player_id, currency, game_id)) : [];
  const coefficient = (value: number | null) => (value === null ? null : formatCoefficient(value));
  return done({
    free_bets: rows.map((row) => ({
      issue_id: row.issue_id,
      currency: row.currency,
      amount: formatMoney(row.bet_amount),
      remaining: row.remaining,
      min_coefficient: coefficient(row.min_coefficient),
      max_coefficient: coefficient(row.max_coefficient),
      expires_at: formatInstant(row.expires_at),
    })),
  });
}

async function readOpenBets(pool: Pool, body: RequestOf<'RoundsOpen'>): Promise<Outcome<ResponseOf<'RoundsOpen'>>> {
  const { client_id, provider_id, placed_until, limit = 50 } = body;
  const wanted = pageWanted(body, [undefined, placed_until], cursors);
  // One extra row shows whether there is a next page.
  const found = await ask(pool, listOpenBets(client_id, provider_id, { ...wanted, limit: limit + 1 }));
  const shown = found.slice(0, limit);
  const last = shown.at(-1)?.bet;
  const isEnd = found.length === shown.length || last === undefined || last.issueId === null;
  const next = isEnd ? null : { at: last.placedAt, id: last.betId };
  return done({ bets: shown.map(roundBetBody), next_cursor: cursors.write(next) });
}
