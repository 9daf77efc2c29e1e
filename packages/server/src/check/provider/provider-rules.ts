import { isDeepStrictEqual } from 'node:util';
import type { ErrorName, OperationName } from '@freebets/contract';
import type { CheckHead } from '../check.ts';
import { players } from './players.ts';
import { retryAfterS, type SeenCall } from './provider-service.ts';

// Rules about a provider's calls. Each evaluation of a rule reads all calls so far, in the order of arrival.

/** `unseen`: not tried yet. `waiting`: the provider still has to act; at the end this is a failure. */
export type Judgement =
  | { state: 'held' }
  | { state: 'unseen' }
  | { state: 'waiting' | 'broken'; reason: string; call: SeenCall | undefined };

export interface ProviderRule extends CheckHead {
  /** The player to play as, so that the rule can be observed. */
  player: keyof typeof players;
  judge(calls: SeenCall[], nowMs: number): Judgement;
}

const held: Judgement = { state: 'held' };
const unseen: Judgement = { state: 'unseen' };
const broken = (reason: string, call?: SeenCall): Judgement => ({ state: 'broken', reason, call });
const waiting = (reason: string, call?: SeenCall): Judgement => ({ state: 'waiting', reason, call });

const of = (calls: SeenCall[], player: keyof typeof players): SeenCall[] =>
  calls.filter(({ playerId }) => playerId === players[player].id);

const isCall = (operation: OperationName) => (call: SeenCall) => call.operation === operation;
const isBet = isCall('RoundsBet');
const isSettlement = isCall('RoundsSettle');
const isRollback = isCall('RoundsRollback');

const isSame = (a: SeenCall, b: SeenCall): boolean => a.operation === b.operation && isDeepStrictEqual(a.body, b.body);
const isOfBet = (bet: SeenCall) => (call: SeenCall) => call.body.bet_id === bet.body.bet_id;

/** The calls after the given one. */
const after = (calls: SeenCall[], call: SeenCall): SeenCall[] => calls.slice(calls.indexOf(call) + 1);

/** Holds if none of the calls was refused with one of these errors. */
function neverRefused(calls: SeenCall[], names: ErrorName[], reason: string): Judgement {
  const wrong = calls.find(({ error }) => error !== null && names.includes(error));
  if (wrong !== undefined) return broken(reason, wrong);
  return calls.some(({ error }) => error === null) ? held : unseen;
}

/** While the result of a bet is unknown, a further bet could use a second bet of the free bet. */
const anotherBet = (later: SeenCall[], bet: SeenCall): SeenCall | undefined =>
  later.find((call) => isBet(call) && !isOfBet(bet)(call));

const repeating = 'providers/recovery#what-counts-as-the-same-request';
const quietMs = 2000;
/** Tolerates inexact clocks and timers. */
const earliestRetryMs = retryAfterS * 1000 - 100;

export const providerRules: ProviderRule[] = [
  {
    id: 'provider.signed',
    rule: 'Every request has a valid signature and the id of the provider.',
    guide: 'partners/authentication#the-signed-text',
    advice: 'Sign the bytes that you send, and send the bytes that you signed.',
    player: 'round',
    judge: (calls) => neverRefused(calls, ['forbidden'], 'A request had an invalid signature.'),
  },
  {
    id: 'provider.valid',
    rule: 'Every request calls an existing operation with valid fields.',
    guide: 'reference/formats#values',
    advice: 'The response lists every invalid field: compare with the reference.',
    player: 'round',
    judge: (calls) =>
      neverRefused(
        calls,
        ['unknown_operation', 'method_not_allowed', 'not_json', 'body_too_large', 'invalid_request'],
        'A request was not valid.',
      ),
  },
  {
    id: 'provider.settles',
    rule: 'A bet that was placed is settled.',
    guide: 'providers/rounds#play-a-round-of-a-crash-game',
    advice: 'Settle every bet as won or lost when its round is over.',
    player: 'round',
    judge(calls) {
      const own = of(calls, 'round');
      const bet = own.find((call) => isBet(call) && call.error === null);
      if (bet === undefined) return unseen;
      const end = after(own, bet).find((call) => isSettlement(call) && isOfBet(bet)(call) && call.error === null);
      return end ? held : waiting('A bet was placed and not settled.', bet);
    },
  },
  {
    id: 'provider.new-ids',
    rule: 'Every bet has its own bet_id.',
    guide: 'providers/rounds#play-a-round-of-a-crash-game',
    advice: 'Create a new UUID for each bet, and store it with the round before you send it.',
    player: 'round',
    judge: (calls) => neverRefused(calls, ['id_reused'], 'A bet_id was used for a second bet.'),
  },
  {
    id: 'provider.repeats-bet',
    rule: 'A bet whose response was lost is sent again unchanged, or rolled back; never under another bet_id.',
    guide: repeating,
    advice: 'Keep the request until you have a response, and send the same bytes again.',
    player: 'lostBet',
    judge(calls) {
      const own = of(calls, 'lostBet');
      const lost = own.find((call) => isBet(call) && call.treatment === 'lost');
      if (lost === undefined) return unseen;
      const later = after(own, lost);
      const known = later.find((call) => isSame(call, lost) || (isRollback(call) && isOfBet(lost)(call)));
      const other = anotherBet(known === undefined ? later : later.slice(0, later.indexOf(known)), lost);
      if (other !== undefined) return broken('The bet was placed again under another bet_id.', other);
      return known === undefined ? waiting('The response to a bet was lost, and no further request came.', lost) : held;
    },
  },
  {
    id: 'provider.repeats-settlement',
    rule: 'A settlement whose response was lost is sent again unchanged, and not rolled back.',
    guide: repeating,
    advice: 'Store settlements so that they survive a restart, and send the same request until you have a response.',
    player: 'lostSettlement',
    judge(calls) {
      const own = of(calls, 'lostSettlement');
      const lost = own.find((call) => isSettlement(call) && call.treatment === 'lost');
      if (lost === undefined) return unseen;
      const [next] = after(own, lost).filter((call) => isOfBet(lost)(call) && (isSettlement(call) || isRollback(call)));
      if (next === undefined)
        return waiting('The response to a settlement was lost, and the settlement was not sent again.', lost);
      return isSame(next, lost) ? held : broken('After the settlement, another request came for the same bet.', next);
    },
  },
  {
    id: 'provider.rolls-back',
    rule: 'A bet without a response is rolled back, and the round is played without it.',
    guide: repeating,
    advice:
      'When the round cannot wait, roll the bet back. It then does not count, even if the request is still in ' +
      'transit.',
    player: 'timeOut',
    judge(calls) {
      const own = of(calls, 'timeOut');
      const bet = own.find(isBet);
      if (bet === undefined) return unseen;
      const later = after(own, bet);
      const end = later.find((call) => isRollback(call) && isOfBet(bet)(call));
      const before = end === undefined ? later : later.slice(0, later.indexOf(end));
      const wrong = anotherBet(before, bet) ?? before.find((call) => isSettlement(call) && isOfBet(bet)(call));
      if (wrong !== undefined) return broken('A bet without a response was settled, or placed again.', wrong);
      return end === undefined ? waiting('A bet got no response and was not rolled back.', bet) : held;
    },
  },
  {
    id: 'provider.repeats-rollback',
    rule: 'A rollback whose response was lost is sent again.',
    guide: repeating,
    advice: 'Send it until you have a response; a rollback can be repeated any number of times.',
    player: 'timeOut',
    judge(calls) {
      const own = of(calls, 'timeOut');
      const lost = own.find((call) => isRollback(call) && call.treatment === 'lost');
      if (lost === undefined) return unseen;
      const isAgain = after(own, lost).some((call) => isSame(call, lost));
      return isAgain
        ? held
        : waiting('The response to a rollback was lost, and the rollback was not sent again.', lost);
    },
  },
  {
    id: 'provider.waits',
    rule: 'After 503 the same request is sent again, not before Retry-After.',
    guide: repeating,
    advice: 'Wait for Retry-After plus jitter, and send the same request.',
    player: 'busy',
    judge(calls) {
      const own = of(calls, 'busy');
      const refused = own.find(({ treatment }) => treatment === 'busy');
      if (refused === undefined) return unseen;
      const [next] = after(own, refused).filter((call) => isBet(call) || isRollback(call));
      if (next === undefined) return waiting('A bet got 503 and was not sent again.', refused);
      if (!isOfBet(refused)(next)) return broken('After 503 another bet_id was used.', next);
      return isRollback(next) || next.atMs - refused.atMs >= earliestRetryMs
        ? held
        : broken(
            `It came again after ${Math.round(next.atMs - refused.atMs)} ms; Retry-After said ${retryAfterS} s.`,
            next,
          );
    },
  },
  {
    id: 'provider.coefficients',
    rule: 'No bet has a coefficient outside the limits of the free bet, and no win is below them.',
    guide: 'providers/rounds#play-a-round-with-fixed-odds',
    advice:
      'Take min_coefficient and max_coefficient from the response, and hold the player to them. A win above ' +
      'the maximum is paid at the maximum.',
    player: 'limits',
    judge(calls) {
      const own = of(calls, 'limits');
      const wrong = own.find(({ error }) => error === 'coefficient_out_of_range');
      if (wrong !== undefined) return broken('The coefficient was outside 2.00 to 3.00.', wrong);
      // A settlement of a lost round has a coefficient only if its bet had one.
      const isTelling = ({ body, error }: SeenCall) => error === null && body.coefficient !== undefined;
      const ends = own.filter((call) => isSettlement(call) && call.error === null);
      if (ends.some((end) => own.some((call) => isOfBet(end)(call) && isTelling(call)))) return held;
      const open = own.find((call) => isBet(call) && call.error === null && !ends.some(isOfBet(call)));
      return open === undefined ? unseen : waiting('A bet was placed and not settled.', open);
    },
  },
  {
    id: 'provider.used-up',
    rule: 'No bet is placed on a used-up free bet.',
    guide: 'providers/rounds#refusals',
    advice: 'Call /Rounds/Available before every round, and respect `remaining`.',
    player: 'usedUp',
    judge(calls) {
      const own = of(calls, 'usedUp');
      const wrong = own.find(({ error }) => error === 'free_bet_used_up');
      if (wrong !== undefined) return broken('A bet was placed on a free bet without bets left.', wrong);
      const bet = own.find((call) => isBet(call) && call.error === null);
      const isTried = bet !== undefined && after(own, bet).some(isCall('RoundsAvailable'));
      return isTried ? held : unseen;
    },
  },
  {
    id: 'provider.refused',
    rule: 'A refused bet is neither sent again nor settled.',
    guide: 'providers/rounds#refusals',
    advice: 'Start the round only after the bet got 200.',
    player: 'refused',
    judge(calls, nowMs) {
      const own = of(calls, 'refused');
      const refused = own.find((call) => isBet(call) && call.error === 'free_bet_cancelled');
      if (refused === undefined) return unseen;
      const wrong = after(own, refused).find((call) => (isBet(call) || isSettlement(call)) && isOfBet(refused)(call));
      if (wrong !== undefined) return broken('A refused bet was sent again, or settled.', wrong);
      return nowMs - refused.atMs >= quietMs ? held : unseen;
    },
  },
];
