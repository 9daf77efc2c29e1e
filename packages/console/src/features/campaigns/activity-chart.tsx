import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { Bars } from '../../ui/bars.tsx';
import { centsOf } from '../../ui/cents.ts';
import { count, moneyText } from '../../ui/money.tsx';
import { type Point, pointName } from './activity-series.ts';

interface ActivityProps {
  points: Point[];
  currency: string;
}

/** Counts and money have no common scale: one chart below the other, over the same times. */
export function ActivityChart({ points, currency }: ActivityProps) {
  const counts = points.map(({ at, issued, bets }) => ({ at: pointName(at), values: { Issued: issued, Bets: bets } }));
  const wins = points.map(({ at, won }) => ({ at: pointName(at), values: { Won: won } }));
  return (
    <Stack className="panel" p="md" gap="xs">
      <div aria-hidden>
        <Text size="xs" c="dimmed">
          Issued and bets
        </Text>
        <Bars label="Issued and bets" height={180} data={counts} series={['Issued', 'Bets']} isStacked={false} />
        <Text size="xs" c="dimmed">
          Won, {currency}
        </Text>
        <Bars label="Won" height={120} data={wins} series={['Won']} currency={currency} firstColour={2} />
      </div>
      <VisuallyHidden>
        <ActivityTable points={points} currency={currency} />
      </VisuallyHidden>
    </Stack>
  );
}

/** The same for those who cannot see a chart. */
const ActivityTable = ({ points, currency }: ActivityProps) => (
  <table>
    <caption>Activity in {currency}</caption>
    <thead>
      <tr>
        <th>Time</th>
        <th>Issued</th>
        <th>Bets</th>
        <th>Won</th>
      </tr>
    </thead>
    <tbody>
      {points
        .filter(({ issued, bets, won }) => issued > 0 || bets > 0 || centsOf(won) > 0n)
        .map(({ at, issued, bets, won }) => (
          <tr key={at}>
            <td>{pointName(at)}</td>
            <td>{count(issued)}</td>
            <td>{count(bets)}</td>
            <td>{moneyText(won, currency)}</td>
          </tr>
        ))}
    </tbody>
  </table>
);
