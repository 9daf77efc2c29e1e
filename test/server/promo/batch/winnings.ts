import fc from 'fast-check';

// Any amount and any coefficient that the contract allows, as texts; and what they must win, by another way than the rules.

export const money = fc
  .tuple(fc.bigInt(0n, 9_999_999_999_999n), fc.integer({ min: 0, max: 99 }))
  .filter(([whole, cents]) => whole > 0n || cents > 0)
  .map(([whole, cents]) => `${whole}.${String(cents).padStart(2, '0')}`);

export const coefficient = fc
  .tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 0, max: 9999 }))
  .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(4, '0')}`);

/** Exact: numerators over 100 and 10,000, divided once at the end. */
export function expectedWin(amount: string, odds: string, stakeReturned: boolean): string {
  const numerator = BigInt(amount.replace('.', '')) * (BigInt(odds.replace('.', '')) - (stakeReturned ? 0n : 10_000n));
  const cents = (numerator - (numerator % 10_000n)) / 10_000n;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}
