import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { FreebetsError, Provider } from '@freebets/client';
import { players } from '../../../packages/server/src/check/provider/players.ts';

// A small, correct test system of a provider, which plays as every player that the check names. For each rule there is
// a variant that breaks only this rule.

export const providerSecret = 'secret-of-the-provider';
export const providerId = 'check-provider';
const game_id = 'check-game';
const client_id = 1;

type Player = keyof typeof players;

export interface ProviderFault {
  secretOf?: string;
  /** Changes a request of a player before it is sent. */
  changes?: (player: Player, operation: string, request: Record<string, unknown>) => void;
  cashesOutAt?: string;
  /** Replaces the provider's action in that case. */
  noSettlement?: true;
  betsAnew?: Player;
  noRepeat?: 'settlement' | 'rollback';
  settlesUnanswered?: true;
  impatient?: true;
  betsBlindly?: true;
  settlesRefused?: true;
}

type Call = (
  operation: 'RoundsAvailable' | 'RoundsBet' | 'RoundsSettle' | 'RoundsRollback',
  request: object,
) => Promise<Answer>;
/** Undefined if it is unknown whether the request was carried out. */
type Answer =
  | { ok: true; body: Record<string, never> }
  | { ok: false; error: string; retryAfterMs: number }
  | undefined;

export async function playAll(url: string, fault: ProviderFault = {}): Promise<void> {
  await Promise.all((Object.keys(players) as Player[]).map((player) => play(url, fault, player)));
}

async function play(url: string, fault: ProviderFault, player: Player): Promise<void> {
  const secret = player === 'round' ? (fault.secretOf ?? providerSecret) : providerSecret;
  const provider = new Provider({ baseUrl: url, providerId, secret, maxRetries: 0 });
  const call: Call = async (operation, request) => {
    const sent = { ...request };
    const timeoutMs = player === 'timeOut' && operation === 'RoundsBet' ? 1500 : 20_000;
    fault.changes?.(player, operation, sent);
    try {
      return { ok: true, body: (await provider.call(operation, sent as never, { timeoutMs })) as never };
    } catch (error) {
      if (!(error instanceof FreebetsError)) throw error;
      if (error.status === undefined) return undefined;
      return { ok: false, error: error.name, retryAfterMs: error.retryAfterMs ?? 0 };
    }
  };
  const issueId = await available(call, player);
  if (issueId === undefined) return;
  await round(call, fault, player, issueId);
  if (player !== 'usedUp') return;
  const again = await available(call, player);
  if (again !== undefined || fault.betsBlindly) await round(call, fault, player, again ?? issueId);
}

async function available(call: Call, player: Player): Promise<string | undefined> {
  const asked = { client_id, player_id: players[player].id, game_id, currency: 'EUR' };
  const answer = await call('RoundsAvailable', asked);
  const [first] = answer?.ok ? (answer.body as unknown as { free_bets: { issue_id: string }[] }).free_bets : [];
  return first?.issue_id;
}

async function round(call: Call, fault: ProviderFault, player: Player, issue_id: string): Promise<void> {
  const bet = { client_id, bet_id: randomUUID() };
  const request = { ...bet, issue_id, player_id: players[player].id, game_id };
  let answer = await call('RoundsBet', request);
  if (answer === undefined && fault.betsAnew === player) {
    return void (await call('RoundsBet', { ...request, bet_id: randomUUID() }));
  }
  if (answer && !answer.ok && answer.error === 'unavailable') {
    await pause(fault.impatient ? 0 : answer.retryAfterMs + 50);
    answer = await call('RoundsBet', request);
  }
  if (answer === undefined) answer = await call('RoundsBet', request);
  if (answer === undefined && !fault.settlesUnanswered) return rollBack(call, fault, bet);
  if (answer && !answer.ok && !fault.settlesRefused) return;
  if (player === 'round' && fault.noSettlement) return;
  await settle(call, fault, bet);
}

async function rollBack(call: Call, fault: ProviderFault, bet: object): Promise<void> {
  const answer = await call('RoundsRollback', bet);
  if (answer === undefined && fault.noRepeat !== 'rollback') await call('RoundsRollback', bet);
}

async function settle(call: Call, fault: ProviderFault, bet: object): Promise<void> {
  const request = { ...bet, result: 'won', coefficient: fault.cashesOutAt ?? '2.50' };
  const answer = await call('RoundsSettle', request);
  if (answer === undefined && fault.noRepeat !== 'settlement') await call('RoundsSettle', request);
}

const sameId = randomUUID();

export const providerFaults: Record<string, ProviderFault> = {
  'provider.signed': { secretOf: 'another' },
  'provider.valid': {
    changes(player, operation, request) {
      if (player === 'round' && operation === 'RoundsBet') request.colour = 'red';
    },
  },
  'provider.settles': { noSettlement: true },
  'provider.new-ids': {
    changes(player, operation, request) {
      if ((player === 'round' || player === 'usedUp') && operation !== 'RoundsAvailable') request.bet_id = sameId;
    },
  },
  'provider.repeats-bet': { betsAnew: 'lostBet' },
  'provider.repeats-settlement': { noRepeat: 'settlement' },
  'provider.rolls-back': { settlesUnanswered: true },
  'provider.repeats-rollback': { noRepeat: 'rollback' },
  'provider.waits': { impatient: true },
  'provider.coefficients': {
    changes(player, operation, request) {
      if (player === 'limits' && operation === 'RoundsSettle') request.coefficient = '1.50';
    },
  },
  'provider.used-up': { betsBlindly: true },
  'provider.refused': { settlesRefused: true },
};
