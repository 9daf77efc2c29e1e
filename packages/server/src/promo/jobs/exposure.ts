import { formatMoney, winOf } from '../../primitives/amounts.ts';
import type { IssueDirect } from '../batch/command.ts';
import type { Exposure } from '../drafts/approval.ts';
import type { SharedTerms, StoredItem } from './job.ts';

/**
 * The maximum winnings of the items of a direct job, in cents by currency. Summed part by part: a job has many items.
 */
export type ItemSums = Map<string, bigint>;

/** The winnings of each bet are rounded down separately. Items with the same amount are computed together for speed. */
export function addItems(
  sums: ItemSums,
  list: readonly StoredItem[],
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

/** Without a maximum coefficient the amounts are unlimited: null. */
export const exposureOfSums = (sums: ItemSums, { terms }: SharedTerms): Exposure =>
  [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, cents]) => ({ currency, amount: terms.maxCoefficient === null ? null : formatMoney(cents) }));

/** The maximum winnings of one direct free bet. */
export function exposureOfIssue(issue: IssueDirect & { stakeReturned: boolean }): Exposure {
  const sums: ItemSums = new Map();
  addItems(sums, [[issue.playerId, issue.currency, issue.issueId, null, null]], issue);
  return exposureOfSums(sums, issue);
}
