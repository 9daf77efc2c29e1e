import type { CampaignGetResponse, FreeBetBody } from '@freebets/contract';
import { amountOf, centsOf } from '../../ui/numbers.ts';

// The maximum liability, counted like in the service: every bet wins at the maximum odds.

/** By currency; null if unlimited. */
export type Most = { currency: string; amount: string | null }[];

const one = 10_000n;
/** Odds with four decimals as a whole number. */
const coefficientE4 = (text: string): bigint => {
  const [whole = '0', rest = ''] = text.split('.');
  return BigInt(whole + rest.padEnd(4, '0'));
};

/** Each bet's winnings are rounded down to the cent separately, like in the service. */
function mostWon(bets: bigint | null, amount: string, coefficient: string | null, stakeReturned: boolean) {
  if (bets === 0n) return amountOf(0n);
  if (bets === null || coefficient === null) return null;
  return amountOf(((centsOf(amount) * (coefficientE4(coefficient) - (stakeReturned ? 0n : one))) / one) * bets);
}

export interface ListCost {
  currency: string;
  players: number;
  /** The total stakes. */
  staked: string;
  /** The maximum winnings; null without maximum odds. */
  won: string | null;
}

type Terms = Pick<CampaignGetResponse, 'bet_amounts' | 'quantity' | 'config' | 'stake_returned'>;
type ListTerms = Pick<Terms, 'bet_amounts' | 'quantity'> & {
  config: { max_coefficient: string | null };
  /** Null for a bulk award with its own terms. */
  campaign?: Pick<CampaignGetResponse, 'config' | 'counts'> | null;
};

/** How many free bets a campaign can still issue; null without a campaign cap. */
export const leftOf = ({ config, counts }: Pick<CampaignGetResponse, 'config' | 'counts'>): number | null =>
  config.bonus_limit === null ? null : Math.max(0, config.bonus_limit - counts.issued + counts.cancelled);

/** Players of a bulk award who get the same free bet. Absent fields default to the terms. */
export interface Alike {
  currency: string;
  bet_amount?: string;
  quantity?: number;
  players: number;
}

/**
 * The cost if every player gets a free bet within the campaign cap. Each currency counts as if it could use the whole
 * cap.
 */
export function costOfList(terms: ListTerms, alike: Iterable<Alike>, stakeReturned: boolean): ListCost[] {
  const costs = new Map<string, { players: number; staked: bigint; won: bigint | null }>();
  const left = (terms.campaign && leftOf(terms.campaign)) ?? Number.POSITIVE_INFINITY;
  for (const { currency, bet_amount, quantity = terms.quantity, players: listed } of alike) {
    const players = Math.min(listed, left);
    const amount = bet_amount ?? terms.bet_amounts.find((each) => each.currency === currency)?.amount ?? '0.00';
    const bets = BigInt(players) * BigInt(quantity);
    const most = mostWon(bets, amount, terms.config.max_coefficient, stakeReturned);
    const before = costs.get(currency) ?? { players: 0, staked: 0n, won: 0n };
    costs.set(currency, {
      players: before.players + players,
      staked: before.staked + bets * centsOf(amount),
      won: before.won === null || most === null ? null : before.won + centsOf(most),
    });
  }
  return [...costs].map(([currency, { players, staked, won }]) => ({
    currency,
    players,
    staked: amountOf(staked),
    won: won === null ? null : amountOf(won),
  }));
}

export const costOfFreeBet = (
  { currency, bet_amount, quantity, config }: Pick<FreeBetBody, 'currency' | 'bet_amount' | 'quantity' | 'config'>,
  stakeReturned: boolean,
): Most => [{ currency, amount: mostWon(BigInt(quantity), bet_amount, config.max_coefficient, stakeReturned) }];

export type Limit = number | null;
const isRaised = (from: Limit, to: Limit): boolean => from !== null && (to === null || to > from);

export interface Limits {
  bonus_limit: Limit;
  bonus_limit_per_user: Limit;
}

export const areRaised = (from: Limits, to: Limits): boolean =>
  isRaised(from.bonus_limit, to.bonus_limit) || isRaised(from.bonus_limit_per_user, to.bonus_limit_per_user);

/** Null if unlimited. A higher per-player cap only matters without a campaign cap. */
function freeBetsMore(from: Limits, to: Limits): bigint | null {
  if (to.bonus_limit === null) {
    const isForPlayers = isRaised(from.bonus_limit_per_user, to.bonus_limit_per_user);
    return from.bonus_limit === null && !isForPlayers ? 0n : null;
  }
  return from.bonus_limit === null ? 0n : BigInt(Math.max(0, to.bonus_limit - from.bonus_limit));
}

/** The additional liability of new caps compared with the current ones. */
export function costOfLimits({ bet_amounts, quantity, config, stake_returned }: Terms, to: Limits): Most {
  const more = freeBetsMore(config, to);
  const bets = more === null ? null : more * BigInt(quantity);
  return bet_amounts.map(({ currency, amount }) => ({
    currency,
    amount: mostWon(bets, amount, config.max_coefficient, stake_returned),
  }));
}
