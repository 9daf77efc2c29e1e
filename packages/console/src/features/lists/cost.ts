import type { CampaignGetResponse } from '@freebets/contract';
import { amountOf, centsOf } from '../../ui/cents.ts';

export interface Cost {
  currency: string;
  players: number;
  /** What can be staked. */
  staked: string;
  /** What can be won at most; null where no highest coefficient bounds it. */
  won: string | null;
}

const one = 10_000n;
/** With four decimals, as a whole number. */
const coefficientE4 = (text: string): bigint => {
  const [whole = '0', rest = ''] = text.split('.');
  return BigInt(whole + rest.padEnd(4, '0'));
};

/** What one bet can win is rounded down to the cent by itself, as the service does it. */
function mostWin(cents: bigint, coefficient: string, stakeReturned: boolean): bigint {
  return (cents * (coefficientE4(coefficient) - (stakeReturned ? 0n : one))) / one;
}

/** What a list can cost at most, by currency: if everybody gets theirs, and wins every bet at the highest coefficient. */
export function costOf(
  { bet_amounts, quantity, config: { max_coefficient } }: CampaignGetResponse,
  perCurrency: Map<string, number>,
  stakeReturned: boolean,
): Cost[] {
  return bet_amounts.flatMap(({ currency, amount }) => {
    const players = perCurrency.get(currency) ?? 0;
    if (players === 0) return [];
    const bets = BigInt(players) * BigInt(quantity);
    const cents = centsOf(amount);
    const won = max_coefficient === null ? null : amountOf(bets * mostWin(cents, max_coefficient, stakeReturned));
    return [{ currency, players, staked: amountOf(bets * cents), won }];
  });
}
