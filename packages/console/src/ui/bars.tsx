import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { Center, Text } from '@mantine/core';

// The one chart of bars; whoever shows it loads it when it is shown, for it is larger than a screen.

export interface BarsProps {
  /** Named for those who do not see it. */
  label: string;
  /** Each has `at` on the axis, and one number for each of the series. */
  data: Record<string, string | number>[];
  series: string[];
  /** How a number reads. */
  text(value: number): string;
  height?: number;
}

const short = new Intl.NumberFormat('en', { notation: 'compact' });

const colours = ['accent.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.6', 'pink.6', 'lime.7', 'gray.6'];

export function Bars({ label, data, series, text, height = 240 }: BarsProps) {
  if (data.length === 0 || series.length === 0) {
    return (
      <Center h={height}>
        <Text c="dimmed" size="sm">
          Nothing happened in this time.
        </Text>
      </Center>
    );
  }
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={height}
        data={data}
        dataKey="at"
        type="stacked"
        series={series.map((name, index) => ({ name, color: colours[index % colours.length] ?? 'gray.6' }))}
        valueFormatter={text}
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
