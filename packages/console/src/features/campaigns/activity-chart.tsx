import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { Stack, Text, VisuallyHidden } from '@mantine/core';
import { count, moneyText } from '../../ui/money.tsx';
import { type Point, pointName } from './activity-series.ts';

// Counts and money have no common scale: one chart below the other, over the same times.

const shared = {
  dataKey: 'at',
  withTooltip: true,
  tickLine: 'none',
  gridAxis: 'x',
  // The keyboard has nothing to do in it: the same stands in a table.
  barChartProps: { accessibilityLayer: false },
} as const;
const noMotion = { isAnimationActive: false };

const asRow = (point: Point) => ({ ...point, at: pointName(point.at) });

/** The amount as it is, not as it was drawn. */
const wonIn = (points: Point[], currency: string) => (drawn: number) =>
  moneyText(points.find(({ won }) => won === drawn)?.wonText ?? drawn.toFixed(2), currency);

export default function ActivityChart({ points, currency }: { points: Point[]; currency: string }) {
  const data = points.map(asRow);
  return (
    <Stack className="panel" p="md" gap="xs">
      <div aria-hidden>
        <Text size="xs" c="dimmed">
          Issued and bets
        </Text>
        <BarChart
          {...shared}
          h={180}
          data={data}
          series={[
            { name: 'issued', label: 'Issued', color: 'accent.6' },
            { name: 'bets', label: 'Bets', color: 'teal.6' },
          ]}
          withLegend
          legendProps={{ verticalAlign: 'bottom', height: 32 }}
          barProps={noMotion}
          valueFormatter={count}
        />
        <Text size="xs" c="dimmed">
          Won, {currency}
        </Text>
        <BarChart
          {...shared}
          h={120}
          data={data}
          series={[{ name: 'won', label: 'Won', color: 'orange.6' }]}
          barProps={noMotion}
          valueFormatter={wonIn(points, currency)}
          yAxisProps={{ tickFormatter: (value: number) => count(Math.round(value)) }}
        />
      </div>
      <VisuallyHidden>
        <ActivityTable points={points} currency={currency} />
      </VisuallyHidden>
    </Stack>
  );
}

/** The same for those who cannot see a chart. */
const ActivityTable = ({ points, currency }: { points: Point[]; currency: string }) => (
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
        .filter(({ issued, bets, won }) => issued > 0 || bets > 0 || won > 0)
        .map(({ at, issued, bets, wonText }) => (
          <tr key={at}>
            <td>{pointName(at)}</td>
            <td>{count(issued)}</td>
            <td>{count(bets)}</td>
            <td>{moneyText(wonText, currency)}</td>
          </tr>
        ))}
    </tbody>
  </table>
);
