import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

// Amounts are text with two decimals, as the service sends them, and stay so: no number of a browser ever holds money.

/** Where a line must not break. */
const hardSpace = '\u00a0';

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, hardSpace);

/** Without the currency, for rows that show it already. */
export function amountText(amount: string | number): string {
  const [whole = '0', cents] = String(amount).split('.');
  return cents === undefined ? grouped(whole) : `${grouped(whole)}.${cents}`;
}

/** Such as "12 500.00 EUR". Of a draft that is still being written it may be empty, or none yet. */
export function moneyText(amount: string, currency: string): string {
  if (!/^-?\d+(\.\d+)?$/.test(amount)) return `…${hardSpace}${currency}`;
  return `${amountText(amount.includes('.') ? amount : `${amount}.00`)}${hardSpace}${currency}`;
}

export const Money = ({ amount, currency }: { amount: string; currency: string }) => (
  <span className="figure">{moneyText(amount, currency)}</span>
);

type Amount = { currency: string; amount: string | null };

const lineText = ({ currency, amount }: Amount): string =>
  amount === null ? `no bound in ${currency}` : moneyText(amount, currency);

interface MoneyListProps {
  amounts: Amount[];
  /** Where there is little room: the others when they are asked for. */
  most?: number;
}

/** One below the other: sums of different currencies are never added. */
export function MoneyList({ amounts, most = amounts.length }: MoneyListProps) {
  const [isWhole, setWhole] = useState(false);
  if (amounts.length === 0) return <Text span>–</Text>;
  // Instead of one that is left out, it may as well be shown.
  const shown = amounts.slice(0, isWhole || amounts.length - most === 1 ? amounts.length : most);
  const others = amounts.length - shown.length;
  return (
    <>
      {shown.map((each) => (
        <div key={each.currency} className="figure">
          {lineText(each)}
        </div>
      ))}
      {amounts.length - most > 1 && (
        <Anchor component="button" type="button" size="xs" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'fewer' : `and ${others} more`}
        </Anchor>
      )}
    </>
  );
}

/** Whole numbers with spaces between thousands. */
export const count = (value: number): string => grouped(String(value));

interface FigureProps {
  name: string;
  about?: string;
  /** Where it stands by itself. */
  isPanel?: boolean;
  children: ReactNode;
}

/** One figure with its name, and what is to be known of it. */
export const Figure = ({ name, about, isPanel, children }: FigureProps) => (
  <Stack gap={2} role="group" aria-label={name} {...(isPanel && { className: 'panel', p: 'sm' })}>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text fw={600} component="div" className="figure">
      {children}
    </Text>
    {about && (
      <Text size="xs" c="dimmed">
        {about}
      </Text>
    )}
  </Stack>
);

/** How much of what may be given is given. Without a limit there is only how much. */
export function Budget({ given, limit }: { given: number; limit: number | null }) {
  if (limit === null) {
    return (
      <Text size="sm" span className="figure">
        {count(given)} given, no limit
      </Text>
    );
  }
  const share = limit === 0 ? 100 : Math.min(100, (given / limit) * 100);
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" span className="figure">
          {count(given)} of {count(limit)}
        </Text>
        <Text size="xs" c="dimmed" span className="figure">
          {Math.floor(share)} %
        </Text>
      </Group>
      <Progress value={share} size="sm" color={share >= 90 ? 'orange' : 'accent'} aria-label="Given of the limit" />
    </div>
  );
}
