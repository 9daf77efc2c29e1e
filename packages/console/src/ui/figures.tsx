import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

// Amounts stay text with two decimals, as the service sends them. Money is never a JavaScript number.

/** A space without a line break. */
const hardSpace = '\u00a0';

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ',');

/** Without the currency, for rows that show it already. */
export function amountText(amount: string | number): string {
  const [whole = '0', cents] = String(amount).split('.');
  return cents === undefined ? grouped(whole) : `${grouped(whole)}.${cents}`;
}

/** Such as "12,500.00 EUR". In an unfinished draft the amount can be empty or invalid. */
export function moneyText(amount: string, currency: string): string {
  if (!/^-?\d+(\.\d+)?$/.test(amount)) return `…${hardSpace}${currency}`;
  return `${amountText(amount.includes('.') ? amount : `${amount}.00`)}${hardSpace}${currency}`;
}

export const Money = ({ amount, currency }: { amount: string; currency: string }) => (
  <span className="figure">{moneyText(amount, currency)}</span>
);

type Amount = { currency: string; amount: string | null };

const lineText = ({ currency, amount }: Amount): string =>
  amount === null ? `unlimited in ${currency}` : moneyText(amount, currency);

interface MoneyListProps {
  amounts: Amount[];
  /** How many are shown before the user expands the list. */
  most?: number;
}

/** One line per currency: amounts of different currencies are never added. */
export function MoneyList({ amounts, most = amounts.length }: MoneyListProps) {
  const [isExpanded, setExpanded] = useState(false);
  if (amounts.length === 0) return <Text span>–</Text>;
  // A link to one more would take as much room as that one.
  const shown = amounts.slice(0, isExpanded || amounts.length - most === 1 ? amounts.length : most);
  const others = amounts.length - shown.length;
  return (
    <>
      {shown.map((each) => (
        <div key={each.currency} className="figure">
          {lineText(each)}
        </div>
      ))}
      {amounts.length - most > 1 && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          aria-expanded={isExpanded}
          onClick={() => setExpanded(!isExpanded)}
        >
          {isExpanded ? 'show fewer' : `and ${others} more`}
        </Anchor>
      )}
    </>
  );
}

/** Whole numbers with commas between thousands. */
export const count = (value: number): string => grouped(String(value));

interface FigureProps {
  name: string;
  about?: string;
  /** Draws a panel around it. */
  isPanel?: boolean;
  children: ReactNode;
}

/** One figure with its name and a note. */
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

/** How much of a campaign's cap is used. */
export function Budget({ given, limit }: { given: number; limit: number | null }) {
  if (limit === null) {
    return (
      <Text size="sm" span className="figure">
        {count(given)} issued, no cap
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
          {Math.floor(share)}%
        </Text>
      </Group>
      <Progress value={share} size="sm" color={share >= 90 ? 'orange' : 'accent'} aria-label="Cap used" />
    </div>
  );
}
