import { Group, Paper, Select, Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { callQuery } from '../../api/queries.ts';
import { oneOf } from '../../ui/address.ts';
import { Bars } from '../../ui/bars.tsx';
import { daysIn } from '../../ui/dates.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { centsOf } from '../../ui/numbers.ts';
import {
  groupText,
  type Measure,
  maxReportDays,
  measures,
  nameOf,
  type ReportGroup,
  type ReportSearch,
  type Row,
  type Selection,
  sharedNames,
} from './selection.ts';

const maxBars = 14;
const timed: ReportGroup[] = ['day', 'month'];

interface ReportChartProps {
  search: ReportSearch;
  selection: Selection;
  onChange(next: ReportSearch): void;
}

/** One measure over time if the report is by day or month, else by its first group. Money is in one currency. */
export function ReportChart({ search, selection: { asked, by }, onChange }: ReportChartProps) {
  const axis = by.find((group) => timed.includes(group)) ?? by[0] ?? 'campaign';
  const measure = oneOf(measures, search.measure) ?? 'bets';
  const limit = timed.includes(axis) ? maxReportDays : maxBars;
  const { data, error, refetch, isPlaceholderData } = useQuery(
    callQuery('ReportGet', { ...asked, by: [axis], most: measure, limit }),
  );
  const currencies = (data?.totals ?? []).map(({ currency }) => currency);
  const currency = oneOf(currencies, search.currency) ?? currencies[0];
  const rows = (data?.rows ?? []).filter((row) => row.currency === currency);
  const shared = sharedNames(axis === 'campaign' ? rows : []);
  const barName = (row: Row) =>
    shared.has(nameOf(axis, row)) ? `${nameOf(axis, row)} (${row.campaign_id})` : nameOf(axis, row);
  const bars = barsOf(rows, measure, barName, timesOn(axis, asked));
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  // The table already shows the empty state.
  if (data?.rows.length === 0) return null;
  return (
    <Paper p="md" className="panel" component="section" aria-label="Chart">
      <Group justify="space-between" mb="xs">
        <Title order={2}>
          {measure[0]?.toUpperCase()}
          {measure.slice(1)} by {groupText(axis)}
          {!timed.includes(axis) && bars.length === maxBars && `, the ${maxBars} largest`}
        </Title>
        <Group gap="xs">
          <Select
            size="xs"
            w={120}
            aria-label="Measure"
            data={[...measures]}
            value={measure}
            allowDeselect={false}
            onChange={(value) => onChange({ measure: value ?? undefined })}
          />
          {currencies.length > 1 && (
            <Select
              size="xs"
              w={100}
              aria-label="Currency"
              data={currencies}
              value={currency ?? null}
              allowDeselect={false}
              onChange={(value) => onChange({ currency: value ?? undefined })}
            />
          )}
        </Group>
      </Group>
      {data === undefined || isPlaceholderData ? (
        <Skeleton height={240} />
      ) : (
        <Bars
          label={`${measure} by ${axis}, ${currency}`}
          data={bars}
          series={currency ? [currency] : []}
          areNames={!timed.includes(axis)}
        />
      )}
    </Paper>
  );
}

const sizeOf = (row: Row, measure: Measure): bigint => centsOf(String(row[measure]));

/** All days or months of the period, including those without activity; undefined for other axes. */
function timesOn(axis: ReportGroup, { from, until }: Selection['asked']): string[] | undefined {
  if (!timed.includes(axis)) return undefined;
  const days = [...daysIn(from, until)];
  return axis === 'day' ? days : [...new Set(days.map((day) => day.slice(0, 'yyyy-mm'.length)))];
}

/** In order of time, or else the largest first. */
function barsOf(rows: Row[], measure: Measure, nameOf: (row: Row) => string, times: string[] | undefined) {
  const barOf = (row: Row) => ({ at: nameOf(row), values: { [row.currency]: row[measure] } });
  if (times) {
    const known = new Map(rows.map((row) => [nameOf(row), barOf(row)]));
    return times.map((at) => known.get(at) ?? { at, values: {} });
  }
  return rows
    .filter((row) => sizeOf(row, measure) > 0n)
    .toSorted((a, b) => (sizeOf(a, measure) < sizeOf(b, measure) ? 1 : -1))
    .map(barOf);
}
