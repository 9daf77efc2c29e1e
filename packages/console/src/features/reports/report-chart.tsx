import { Group, Paper, Select, Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { drawn } from '../../ui/cents.ts';
import { LazyBars } from '../../ui/lazy-bars.tsx';
import { count } from '../../ui/money.tsx';
import { oneOf } from '../../ui/search.ts';
import { nameOf, type Row } from './names.ts';
import { type InAddress, isMoney, type Measure, measures, type ReportGroup, type Selection } from './selection.ts';

const mostBars = 14;
const timed: ReportGroup[] = ['day', 'month'];

interface ReportChartProps {
  search: InAddress;
  selection: Selection;
  onChange(next: InAddress): void;
}

/** One measure along time where the report has it, else along its first group; money in one currency. */
export function ReportChart({ search, selection: { asked, by }, onChange }: ReportChartProps) {
  const axis = by.find((group) => timed.includes(group)) ?? by[0] ?? 'campaign';
  const measure = oneOf(measures, search.measure) ?? 'bets';
  const { data } = useQuery(asking('ReportGet', { ...asked, by: [axis], limit: 1000 }));
  const currencies = (data?.totals ?? []).map(({ currency }) => currency);
  const currency = oneOf(currencies, search.currency) ?? currencies[0];
  const rows = (data?.rows ?? []).filter((row) => row.currency === currency);
  const bars = barsOf(rows, measure, timed.includes(axis), (row) => nameOf(axis, row));
  // The table says so already.
  if (data?.rows.length === 0) return null;
  return (
    <Paper p="md" className="panel" component="section" aria-label="Chart">
      <Group justify="space-between" mb="xs">
        <Title order={2}>
          {measure[0]?.toUpperCase()}
          {measure.slice(1)} by {axis}
        </Title>
        <Group gap="xs">
          <Select
            size="xs"
            w={120}
            aria-label="What is drawn"
            data={[...measures]}
            value={measure}
            allowDeselect={false}
            onChange={(value) => onChange({ measure: value ?? undefined })}
          />
          {currencies.length > 1 && (
            <Select
              size="xs"
              w={100}
              aria-label="Currency drawn"
              data={currencies}
              value={currency ?? null}
              allowDeselect={false}
              onChange={(value) => onChange({ currency: value ?? undefined })}
            />
          )}
        </Group>
      </Group>
      {data === undefined ? (
        <Skeleton height={240} />
      ) : (
        <LazyBars
          label={`${measure} by ${axis}, ${currency}`}
          data={bars}
          series={currency ? [currency] : []}
          text={(value) => (isMoney(measure) ? `${value.toFixed(2)} ${currency}` : count(value))}
        />
      )}
    </Paper>
  );
}

/** Along time as it comes; else the largest first, as many as can be read. */
function barsOf(rows: Row[], measure: Measure, isTimed: boolean, nameOf: (row: Row) => string) {
  const bars = rows.map((row) => ({
    at: nameOf(row),
    [row.currency]: drawn(row[measure]),
    height: drawn(row[measure]),
  }));
  return isTimed
    ? bars
    : bars
        .filter(({ height }) => height > 0)
        .toSorted((a, b) => b.height - a.height)
        .slice(0, mostBars);
}
