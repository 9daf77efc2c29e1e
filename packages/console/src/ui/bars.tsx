import { Center, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useClickOutside, useElementSize, useMergedRef } from '@mantine/hooks';
import { type PointerEvent, useState } from 'react';
import { barsPerLabel, ticksUpTo } from './bar-scale.ts';
import { count, moneyText } from './figures.tsx';
import { drawn } from './numbers.ts';

// The one chart of bars. They are drawn by numbers of the browser; what it says is the exact value.

type Value = string | number;

interface Bar {
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
  /** The labels are names: they are rather shortened than left out. */
  areNames?: boolean;
  /** Of the first series; the next ones follow. */
  firstColour?: number;
  height?: number;
}

const short = new Intl.NumberFormat('en', { notation: 'compact' });

const colours = ['accent-6', 'teal-6', 'orange-6', 'grape-6', 'cyan-6', 'pink-6', 'lime-7', 'gray-6'];

const valueText = (value: Value, currency: string): string =>
  typeof value === 'number' ? count(value) : moneyText(value, currency);

interface Drawn {
  name: string;
  background: string;
  /** Of each bar. */
  sizes: number[];
}

/** Of a name at least. */
const nameLetters = 5;

const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;

export function Bars(props: BarsProps) {
  const { label, data, series, firstColour = 0, height = 240 } = props;
  const drawnSeries = series.map((name, index) => ({
    name,
    background: `var(--mantine-color-${colours[(firstColour + index) % colours.length]})`,
    sizes: data.map(({ values }) => drawn(values[name] ?? 0)),
  }));
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
}: BarsProps & { drawnSeries: Drawn[] }) {
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
  // A finger leaves what it has tapped, to read it.
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
            className={isStacked ? 'bars-bar bars-stacked' : 'bars-bar bars-beside'}
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

/** Two bars may have the same name; what they are is their place. */
const keyAt = (index: number): string => `bar ${index}`;

/** One for each so many bars, in the middle of them. Where some are left over, they are the first, or the last: of names the largest come first. */
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

const Legend = ({ drawnSeries }: { drawnSeries: Drawn[] }) => (
  <Group justify="center" gap="md">
    {drawnSeries.map(({ name, background }) => (
      <Group key={name} gap={6} wrap="nowrap">
        <span className="bars-key" style={{ background }} />
        <Text size="xs">{name}</Text>
      </Group>
    ))}
  </Group>
);

/** Where its bar is, and nowhere beyond the chart: its left edge over the first bar, its right edge over the last. */
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
    {Object.keys(bar.values).length === 0 && <Text size="sm">Nothing</Text>}
    {Object.entries(bar.values).map(([name, value]) => (
      <Text key={name} size="sm" className="figure">
        {currency === undefined && typeof value === 'string' ? '' : `${name}: `}
        {valueText(value, currency ?? name)}
      </Text>
    ))}
  </Paper>
);

/** The same as a chart, for those who cannot see it: a line for each bar with something in it. */
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
