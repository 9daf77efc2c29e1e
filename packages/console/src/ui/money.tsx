import { Text } from '@mantine/core';

// Amounts are text with two decimals, as the service sends them, and stay so: no number of a browser ever holds money.

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ' ');

/** Such as "12 500.00 EUR". */
export function moneyText(amount: string, currency: string): string {
  const [whole = '0', cents = '00'] = amount.split('.');
  return `${grouped(whole)}.${cents} ${currency}`;
}

export const Money = ({ amount, currency }: { amount: string; currency: string }) => (
  <span className="figure">{moneyText(amount, currency)}</span>
);

/** One below the other: sums of different currencies are never added. */
export function MoneyList({ amounts }: { amounts: { currency: string; amount: string | null }[] }) {
  if (amounts.length === 0) return <Text span>–</Text>;
  return amounts.map(({ currency, amount }) => (
    <div key={currency}>
      {amount === null ? <span className="figure">no bound in {currency}</span> : <Money {...{ amount, currency }} />}
    </div>
  ));
}

/** Whole numbers with thin spaces between thousands. */
export const count = (value: number): string => grouped(String(value));
