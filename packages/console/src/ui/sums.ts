// Sums of money are made in whole cents, exactly, and only within one currency.

const cents = (amount: string): bigint => {
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(whole + part.padEnd(2, '0'));
};

export function addMoney(one: string, other: string): string {
  const text = String(cents(one) + cents(other)).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** For the height of a bar, and nothing else. */
export const drawn = (amount: string | number): number => Number(amount);
