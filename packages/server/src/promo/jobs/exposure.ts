import { formatMoney, winOf } from '../../primitives/amounts.ts';
import type { IssueDirect } from '../batch/command.ts';
import type { Exposure } from '../drafts/approval.ts';
import type { KeptItem, SharedTerms } from './job.ts';

/** What the items of a direct job could win, by currency, in cents: part by part, since they are many. */
export type ItemSums = Map<string, bigint>;

/** What one bet can win is rounded down by itself; items alike are many, and worked out together. */
export function addItems(
  sums: ItemSums,
  list: readonly KeptItem[],
  { betAmount, terms, stakeReturned }: SharedTerms,
): void {
  const bets = new Map<string, { currency: string; cents: number; count: number }>();
  for (const [, currency, , cents = null, quantity = null] of list) {
    const amount = cents ?? betAmount;
    const key = `${currency} ${amount}`;
    const alike = bets.get(key) ?? { currency, cents: amount, count: 0 };
    alike.count += quantity ?? terms.quantity;
    bets.set(key, alike);
  }
  for (const { currency, cents, count } of bets.values()) {
    const win = terms.maxCoefficient === null ? 0n : winOf(cents, terms.maxCoefficient, stakeReturned);
    sums.set(currency, (sums.get(currency) ?? 0n) + win * BigInt(count));
  }
}

/** Without a highest coefficient nothing bounds it. */
export const exposureOfSums = (sums: ItemSums, { terms }: SharedTerms): Exposure =>
  [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, cents]) => ({ currency, amount: terms.maxCoefficient === null ? null : formatMoney(cents) }));

/** Of one free bet with terms of its own. */
export function exposureOfIssue(issue: IssueDirect & { stakeReturned: boolean }): Exposure {
  const sums: ItemSums = new Map();
  addItems(sums, [[issue.playerId, issue.currency, issue.issueId, null, null]], issue);
  return exposureOfSums(sums, issue);
}
