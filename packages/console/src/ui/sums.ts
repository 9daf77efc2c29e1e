import { amountOf, centsOf } from './cents.ts';

/** Exact, and only within one currency. */
export const addMoney = (one: string, other: string): string => amountOf(centsOf(one) + centsOf(other));

/** For the height of a bar, and nothing else. */
export const drawn = (amount: string | number): number => Number(amount);
