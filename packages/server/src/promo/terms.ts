import type { FieldError, Refusal } from '@freebets/contract';
import type { Offer } from '../partners/profile.ts';
import { type Cents, type CoefficientE4, type Instant, parseCoefficient } from '../primitives/amounts.ts';

/** What a player may use a free bet for. Free bets of a campaign share its terms; a direct free bet has its own. */
export interface Terms {
  name: string | null;
  quantity: number;
  games: readonly string[];
  validFrom: Instant;
  validUntil: Instant;
  durationMin: number | null;
  minCoefficient: CoefficientE4 | null;
  maxCoefficient: CoefficientE4 | null;
  /**
   * Whether a win also pays the stake. Copied from the partner's setting, so that later changes don't affect existing
   * terms.
   */
  stakeReturned: boolean;
}

/** The terms in a request. A request has no payout type, so neither does its content hash. */
export type RequestedTerms = Omit<Terms, 'stakeReturned'>;

/** The terms of a free bet without a campaign; null means that it is valid from the moment it is issued. */
export type DirectTerms = Omit<RequestedTerms, 'validFrom'> & { validFrom: Instant | null };

export type BetAmounts = ReadonlyMap<string, Cents>;

const measured = new WeakMap<readonly string[], number>();

/** The bytes of ids, times, amounts, counts and a name of 255 characters of up to four bytes each. */
const shortParts = 3000;

/**
 * The most bytes that terms and the short fields around them take in a response. A list of games has up to 500 ids of
 * 128 characters, so it is measured, once for all free bets that share it.
 */
export function termsBytes({ games }: Pick<Terms, 'games'>): number {
  let bytes = measured.get(games);
  if (bytes === undefined) {
    bytes = shortParts + Buffer.byteLength(JSON.stringify(games));
    measured.set(games, bytes);
  }
  return bytes;
}

export const coefficientOf = (text: string | undefined): CoefficientE4 | null =>
  text === undefined ? null : parseCoefficient(text);

export const coefficientsOf = (config: { min_coefficient?: string; max_coefficient?: string } | undefined) => ({
  minCoefficient: coefficientOf(config?.min_coefficient),
  maxCoefficient: coefficientOf(config?.max_coefficient),
});

type Check = (
  terms: RequestedTerms,
  currencies: ReadonlyMap<string, string>,
  offer: Offer,
  now: Instant,
) => Refusal | null;

const refusal = (error: Refusal['error'], details: FieldError[]): Refusal | null =>
  details.length > 0 ? { error, details } : null;

const validityIsEmptyOrOver: Check = ({ validFrom, validUntil }, _currencies, _offer, now) => {
  const reasons: FieldError[] = [];
  if (validUntil <= now) reasons.push({ field: 'valid_until', reason: 'must be in the future' });
  // Without `valid_from` a free bet starts now, so only `valid_until` can be wrong.
  if (validFrom >= validUntil && validFrom !== now)
    reasons.push({ field: 'valid_from', reason: 'must be before valid_until' });
  return refusal('invalid_validity', reasons);
};

const gameNotOffered: Check = ({ games }, _currencies, offer) =>
  refusal(
    'game_not_available',
    games.flatMap((id, i) => (offer.has(id) ? [] : [{ field: `games[${i}]`, reason: 'is not offered to you' }])),
  );

const gameWithoutFreeBets: Check = ({ games }, _currencies, offer) =>
  refusal(
    'game_without_free_bets',
    games.flatMap((id, i) =>
      offer.get(id)?.freeBets ? [] : [{ field: `games[${i}]`, reason: 'does not support FreeBet' }],
    ),
  );

const currencyNotSupported: Check = ({ games }, currencies, offer) =>
  refusal(
    'currency_not_allowed',
    [...currencies].flatMap(([currency, field]) => {
      const game = games.find((id) => !offer.get(id)?.currencies.has(currency));
      return game === undefined ? [] : [{ field, reason: `is not supported by the provider of ${game}` }];
    }),
  );

const checks = [validityIsEmptyOrOver, gameNotOffered, gameWithoutFreeBets, currencyNotSupported];

/** Why these terms are refused, or null. `currencies` maps each currency to the field that names it. */
export function termsRefusal(...given: Parameters<Check>): Refusal | null {
  for (const check of checks) {
    const found = check(...given);
    if (found) return found;
  }
  return null;
}
