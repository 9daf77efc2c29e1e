// Sums of amounts: whole cents of any size, so that nothing is rounded.

export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

export function amountOf(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** For the height of a bar, and nothing else. */
export const drawn = (amount: string | number): number => Number(amount);
