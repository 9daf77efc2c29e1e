import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import type { PartnerSelection } from '../calls/partner-selection.ts';
import { ask } from '../engine/statement.ts';
import { formatMoney, winOf } from '../primitives/amounts.ts';
import { type OpenBetsRow, readOpenBets } from './sql/overview.ts';

// The maximum winnings of open bets, summed over all campaigns of the partners.

export interface Exposure {
  currency: string;
  /** Null if one of the campaigns has no maximum coefficient. */
  amount: string | null;
}

export const readExposure = async (pool: Pool, wanted: PartnerSelection): Promise<Exposure[]> =>
  exposureOf(await ask(pool, readOpenBets(wanted)));

function exposureOf(rows: OpenBetsRow[]): Exposure[] {
  return [...Map.groupBy(rows, (row) => row.currency)].map(([currency, alike]) => {
    const sum = alike
      .map(maxWinnings)
      .reduce((total, win) => (total === null || win === null ? null : total + win), 0n);
    return { currency, amount: sum === null ? null : formatMoney(sum) };
  });
}

function maxWinnings({
  currency,
  bet_amounts,
  max_coefficient,
  stake_returned,
  open_bets,
}: OpenBetsRow): bigint | null {
  const betAmount = new Map(bet_amounts).get(currency);
  assert(betAmount !== undefined, 'a campaign has totals in its own currencies');
  return max_coefficient === null ? null : winOf(betAmount, max_coefficient, stake_returned) * BigInt(open_bets);
}
