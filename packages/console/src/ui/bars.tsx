import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { Center, Paper, Text } from '@mantine/core';
import { drawn } from './cents.ts';
import { count, moneyText } from './money.tsx';

// The one chart of bars; whoever shows it loads it when it is shown, for it is larger than a screen. Its bars are drawn by
// numbers of the browser; what it says is the exact value.

type Value = string | number;

export interface Bar {
  /** On the axis. */
  at: string;
  /** By series: a number of things, or an amount of money. */
  values: Record<string, Value>;
}

export interface BarsProps {
  /** Named for those who do not see it. */
  label: string;
  data: Bar[];
  series: string[];
  /** Of amounts; where the series are currencies, each is its own. */
  currency?: string;
  isStacked?: boolean;
  /** Of the first series; the next ones follow. */
  firstColour?: number;
  height?: number;
}

const short = new Intl.NumberFormat('en', { notation: 'compact' });

const colours = ['accent.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.6', 'pink.6', 'lime.7', 'gray.6'];

const valueText = (value: Value, currency: string): string =>
  typeof value === 'number' ? count(value) : moneyText(value, currency);

export function Bars({ label, data, series, currency, isStacked = true, firstColour = 0, height = 240 }: BarsProps) {
  if (data.length === 0 || series.length === 0) {
    return (
      <Center h={height}>
        <Text c="dimmed" size="sm">
          Nothing happened in this time.
        </Text>
      </Center>
    );
  }
  const rows = data.map((bar) => ({
    ...Object.fromEntries(series.map((name) => [name, drawn(bar.values[name] ?? 0)])),
    at: bar.at,
    bar,
  }));
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={height}
        data={rows}
        dataKey="at"
        type={isStacked ? 'stacked' : 'default'}
        series={series.map((name, index) => ({ name, color: colours[(firstColour + index) % colours.length] ?? '' }))}
        tooltipProps={{ content: ({ payload }) => <Values bar={payload?.[0]?.payload?.bar} currency={currency} /> }}
        withLegend={series.length > 1}
        legendProps={{ verticalAlign: 'bottom' }}
        barProps={{ isAnimationActive: false, maxBarSize: 48 }}
        barChartProps={{ accessibilityLayer: false }}
        yAxisProps={{ width: 48, tickFormatter: (value: number) => short.format(value) }}
        tickLine="none"
      />
    </div>
  );
}

const Values = ({ bar, currency }: { bar: Bar | undefined; currency: string | undefined }) =>
  bar && (
    <Paper withBorder shadow="md" px="sm" py="xs">
      <Text size="sm" fw={600}>
        {bar.at}
      </Text>
      {Object.entries(bar.values).map(([name, value]) => (
        <Text key={name} size="sm" className="figure">
          {currency === undefined && typeof value === 'string' ? '' : `${name}: `}
          {valueText(value, currency ?? name)}
        </Text>
      ))}
    </Paper>
  );
