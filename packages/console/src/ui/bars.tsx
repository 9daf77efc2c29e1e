import { Center, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useClickOutside, useElementSize, useMergedRef } from '@mantine/hooks';
import { type PointerEvent, useState } from 'react';
import { barsPerLabel, ticksUpTo } from './bar-scale.ts';
import { count, moneyText } from './figures.tsx';
import { barHeight } from './numbers.ts';

// The bar chart of all screens. Heights are floating point; texts show the exact value.

type Value = string | number;

interface Bar {
  /** The label on the axis. */
  at: string;
  /** By series: a count, or an amount of money as text. */
  values: Record<string, Value>;
}

export interface BarsProps {
  /** The name that screen readers announce. */
  label: string;
  data: Bar[];
  series: string[];
  /** The currency of all amounts; absent if the series are currencies. */
  currency?: string;
  isStacked?: boolean;
  /** Labels that are names are shortened rather than left out. */
  areNames?: boolean;
  /** The index of the first series' colour. */
  firstColour?: number;
  height?: number;
}

const short = new Intl.NumberFormat('en', { notation: 'compact' });

const colours = ['accent-6', 'teal-6', 'orange-6', 'grape-6', 'cyan-6', 'pink-6', 'lime-7', 'gray-6'];

const valueText = (value: Value, currency: string): string =>
  typeof value === 'number' ? count(value) : moneyText(value, currency);

interface DrawnSeries {
  name: string;
  background: string;
  /** One height per bar. */
  sizes: number[];
}

/** The shortest a name is cut to. */
const nameLetters = 5;

const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;

export function Bars(props: BarsProps) {
  const { label, data, series, firstColour = 0, height = 240 } = props;
  const drawnSeries = series.map((name, index) => ({
    name,
    background: `var(--mantine-color-${colours[(firstColour + index) % colours.length]})`,
    sizes: data.map(({ values }) => barHeight(values[name] ?? 0)),
  }));
  if (data.length === 0 || series.length === 0) {
    return (
      <Center h={height}>
        <Text c="dimmed" size="sm">
          No activity in this period.
        </Text>
      </Center>
    );
  }
  return (
    <Stack role="img" aria-label={label} h={height} gap={4}>
      <Plot {...props} drawnSeries={drawnSeries} />
      {series.length > 1 && <Legend drawnSeries={drawnSeries} />}
    </Stack>
  );
}

function Plot({
  data,
  currency,
  isStacked = true,
  areNames = false,
  drawnSeries,
}: BarsProps & { drawnSeries: DrawnSeries[] }) {
  const [pointedAt, setPointedAt] = useState<number>();
  const { ref: sized, width } = useElementSize();
  const ref = useMergedRef(
    sized,
    useClickOutside(() => setPointedAt(undefined)),
  );
  const heights = data.map((_, index) => drawnSeries.map(({ sizes }) => sizes[index] ?? 0));
  const largest = Math.max(...heights.map((each) => (isStacked ? each.reduce((a, b) => a + b) : Math.max(...each))));
  const areCounted = data.every(({ values }) => Object.values(values).every((value) => typeof value === 'number'));
  const ticks = ticksUpTo(largest, areCounted);
  const top = ticks.at(-1) ?? 1;
  const labels = data.map(({ at }) => at);
  const pointed = pointedAt === undefined ? undefined : data[pointedAt];
  // On touch screens the pointer leaves right after the tap; keep the values open.
  const leave = ({ pointerType }: PointerEvent) => pointerType !== 'touch' && setPointedAt(undefined);
  return (
    <div className="bars">
      <div ref={ref} className="bars-plot" onPointerLeave={leave}>
        {ticks.map((tick) => (
          <div key={tick} className="bars-tick" style={{ bottom: percent(tick, top) }}>
            <span>{short.format(tick)}</span>
          </div>
        ))}
        {data.map((_, index) => (
          <div
            key={keyAt(index)}
            className={isStacked ? 'bars-bar bars-stacked' : 'bars-bar bars-grouped'}
            onPointerEnter={() => setPointedAt(index)}
          >
            {drawnSeries.map(({ name, background, sizes }) => (
              <div key={name} className="bars-part" style={{ background, height: percent(sizes[index] ?? 0, top) }} />
            ))}
          </div>
        ))}
        {pointed && <Values bar={pointed} currency={currency} at={percent((pointedAt ?? 0) + 0.5, data.length)} />}
      </div>
      <Labels
        labels={labels}
        each={barsPerLabel(labels, width, areNames ? nameLetters : undefined)}
        fromStart={areNames}
      />
    </div>
  );
}

/** Two bars can have the same name, so the key is the position. */
const keyAt = (index: number): string => `bar ${index}`;

/**
 * One label per group of bars. Names are sorted with the largest first, so their incomplete group is the last one; for
 * times it is the first.
 */
function Labels({ labels, each, fromStart }: { labels: string[]; each: number; fromStart: boolean }) {
  const left = labels.length % each;
  const middle = Math.floor((each - 1) / 2);
  const whole = fromStart ? labels.slice(0, labels.length - left) : labels.slice(left);
  const shown = whole.filter((_, index) => index % each === middle);
  const side = fromStart ? 'paddingRight' : 'paddingLeft';
  return (
    <div className="bars-labels" style={{ [side]: percent(left, labels.length) }}>
      {shown.map((label, index) => (
        <span key={keyAt(index)} title={label}>
          {label}
        </span>
      ))}
    </div>
  );
}

const Legend = ({ drawnSeries }: { drawnSeries: DrawnSeries[] }) => (
  <Group justify="center" gap="md">
    {drawnSeries.map(({ name, background }) => (
      <Group key={name} gap={6} wrap="nowrap">
        <span className="bars-key" style={{ background }} />
        <Text size="xs">{name}</Text>
      </Group>
    ))}
  </Group>
);

/** Stays within the chart: its left edge aligns with the first bar, its right edge with the last. */
const Values = ({ bar, currency, at }: { bar: Bar; currency: string | undefined; at: string }) => (
  <Paper
    withBorder
    shadow="md"
    px="sm"
    py="xs"
    className="bars-values"
    style={{ left: at, transform: `translateX(-${at})` }}
  >
    <Text size="sm" fw={600}>
      {bar.at}
    </Text>
    {Object.keys(bar.values).length === 0 && <Text size="sm">No activity</Text>}
    {Object.entries(bar.values).map(([name, value]) => (
      <Text key={name} size="sm" className="figure">
        {currency === undefined && typeof value === 'string' ? '' : `${name}: `}
        {valueText(value, currency ?? name)}
      </Text>
    ))}
  </Paper>
);

/** The chart as a table for screen readers: one row for each bar with a value. */
export const BarsTable = ({ label, data, series }: Pick<BarsProps, 'label' | 'data' | 'series'>) => (
  <VisuallyHidden>
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th>Time</th>
          {series.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data
          .filter(({ values }) => Object.keys(values).length > 0)
          .map(({ at, values }) => (
            <tr key={at}>
              <td>{at}</td>
              {series.map((name) => (
                <td key={name}>{valueText(values[name] ?? 0, name)}</td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  </VisuallyHidden>
);
