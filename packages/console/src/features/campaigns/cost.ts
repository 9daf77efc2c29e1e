import type { CampaignGetResponse, FreeBetBody } from '@freebets/contract';
import { amountOf, centsOf } from '../../ui/numbers.ts';

// What something can cost at most, counted as the service counts it: if every bet wins at the highest coefficient.

/** By currency; null where nothing bounds it. */
export type Most = { currency: string; amount: string | null }[];

const one = 10_000n;
/** With four decimals, as a whole number. */
const coefficientE4 = (text: string): bigint => {
  const [whole = '0', rest = ''] = text.split('.');
  return BigInt(whole + rest.padEnd(4, '0'));
};

/** What one bet can win is rounded down to the cent by itself, as the service does it. */
function mostWon(bets: bigint | null, amount: string, coefficient: string | null, stakeReturned: boolean) {
  if (bets === 0n) return amountOf(0n);
  if (bets === null || coefficient === null) return null;
  return amountOf(((centsOf(amount) * (coefficientE4(coefficient) - (stakeReturned ? 0n : one))) / one) * bets);
}

export interface ListCost {
  currency: string;
  players: number;
  /** What can be staked. */
  staked: string;
  /** What can be won at most; null where no highest coefficient bounds it. */
  won: string | null;
}

type Terms = Pick<CampaignGetResponse, 'bet_amounts' | 'quantity' | 'config' | 'stake_returned'>;
type ListTerms = Pick<Terms, 'bet_amounts' | 'quantity'> & {
  config: { max_coefficient: string | null };
  /** Of a list with terms of its own there is none. */
  campaign?: Pick<CampaignGetResponse, 'config' | 'counts'> | null;
};

/** How many free bets a campaign can still give; null without an end. */
export const leftOf = ({ config, counts }: Pick<CampaignGetResponse, 'config' | 'counts'>): number | null =>
  config.bonus_limit === null ? null : Math.max(0, config.bonus_limit - counts.issued + counts.cancelled);

/** Players of a list who get the same; what is not named is as the terms say. */
export interface Alike {
  currency: string;
  bet_amount?: string;
  quantity?: number;
  players: number;
}

/** Of a list, if everybody gets theirs, as long as the campaign has any left; in each currency as if those were all of it. */
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

/** Null without an end. What one player may have more counts only where the campaign gives without end. */
function freeBetsMore(from: Limits, to: Limits): bigint | null {
  if (to.bonus_limit === null) {
    const isForPlayers = isRaised(from.bonus_limit_per_user, to.bonus_limit_per_user);
    return from.bonus_limit === null && !isForPlayers ? 0n : null;
  }
  return from.bonus_limit === null ? 0n : BigInt(Math.max(0, to.bonus_limit - from.bonus_limit));
}

/** What other limits can cost more than those in force. */
export function costOfLimits({ bet_amounts, quantity, config, stake_returned }: Terms, to: Limits): Most {
  const more = freeBetsMore(config, to);
  const bets = more === null ? null : more * BigInt(quantity);
  return bet_amounts.map(({ currency, amount }) => ({
    currency,
    amount: mostWon(bets, amount, config.max_coefficient, stake_returned),
  }));
}
