import type { BetBody, FreeBetBody } from '@freebets/contract';
import { useQueries } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { amountOf, centsOf } from '../../ui/cents.ts';

/** What the bets of a free bet have won so far. */
export const wonIn = (bets: BetBody[]): string =>
  amountOf(bets.reduce((sum, { win_amount }) => sum + (win_amount === null ? 0n : centsOf(win_amount)), 0n));

/** What these free bets have won, by their ids; only those that were used are asked for. */
export function useWon(clientId: number, freeBets: FreeBetBody[]): Map<string, string> {
  const used = freeBets.filter(({ remaining, quantity }) => remaining < quantity);
  const answers = useQueries({
    queries: used.map(({ issue_id }) => asking('FreeBetGet', { client_id: clientId, issue_id })),
  });
  return new Map(answers.flatMap(({ data }) => (data ? [[data.issue_id, wonIn(data.bets)]] : [])));
}

/** By currency: sums of different ones are never added. */
export function totals(freeBets: FreeBetBody[], won: Map<string, string>): { currency: string; amount: string }[] {
  const sums = new Map<string, bigint>();
  for (const { issue_id, currency } of freeBets) {
    const amount = won.get(issue_id);
    if (amount !== undefined) sums.set(currency, (sums.get(currency) ?? 0n) + centsOf(amount));
  }
  return [...sums].map(([currency, cents]) => ({ currency, amount: amountOf(cents) }));
}
