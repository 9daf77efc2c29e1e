import { Group, Paper, SegmentedControl, Select, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { callQuery } from '../../api/queries.ts';
import { oneOf } from '../../ui/address.ts';
import { Bars, type BarsProps, BarsTable } from '../../ui/bars.tsx';
import { dayText, midnight, timestamp, viewerZone } from '../../ui/dates.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import type { PartnerScope } from '../../ui/partner-select.tsx';

const measures = ['issued', 'bets', 'won'] as const;
const days = 14;
const [chartHeight, emptyHeight] = [200, 90];

interface Shown {
  measure?: string;
  currency?: string;
}

interface RecentActivityProps {
  asked: PartnerScope['asked'];
  now: Date;
  shown: Shown;
  onShow(shown: Shown): void;
}

/** The last 14 days. Counts are stacked by currency; money is shown in one currency. */
export function RecentActivityChart({ asked, now, shown, onShow }: RecentActivityProps) {
  const measure = oneOf(measures, shown.measure) ?? 'bets';
  const { data, error } = useQuery({
    ...callQuery('ActivityGet', {
      by: 'day',
      from: timestamp(midnight(now, 1 - days)),
      until: timestamp(midnight(now, 1)),
      time_zone: viewerZone,
      ...asked,
    }),
    refetchInterval: 15_000,
  });
  const series = data?.series ?? [];
  const currencies = [...new Set(series.map(({ currency }) => currency))].toSorted();
  const currency = oneOf(currencies, shown.currency) ?? currencies[0];
  const drawnIn = measure === 'won' ? currencies.filter((each) => each === currency) : currencies;
  const bars = Array.from({ length: days }, (_, index) => {
    const date = midnight(now, index + 1 - days);
    const ofDay = series.filter(({ at, currency }) => at === dayText(date) && drawnIn.includes(currency));
    return {
      at: shortDay.format(date),
      values: Object.fromEntries(ofDay.map((row) => [row.currency, row[measure]])),
    };
  });
  return (
    <Paper p="md" className="panel" component="section" aria-label="The last 14 days">
      <Group justify="space-between" mb="xs">
        <Title order={2}>The last 14 days</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Measure"
            data={measures.map((value) => ({ value, label: { issued: 'Issued', bets: 'Bets', won: 'Won' }[value] }))}
            value={measure}
            onChange={(value) => onShow({ measure: value })}
          />
          {measure === 'won' && currencies.length > 1 && (
            <Select
              size="xs"
              w={90}
              aria-label="Currency"
              data={currencies}
              value={currency ?? null}
              allowDeselect={false}
              onChange={(value) => onShow({ currency: value ?? undefined })}
            />
          )}
        </Group>
      </Group>
      {error && <ErrorNote error={error} />}
      {data === undefined ? (
        <Skeleton height={chartHeight} />
      ) : (
        <ChartWithTable
          label={`${measure} by day and currency`}
          data={series.length === 0 ? [] : bars}
          series={drawnIn}
        />
      )}
      {'sandboxes' in asked && (
        <Text size="xs" c="dimmed" mt="xs">
          Days in real time. A sandbox with its clock set ahead counts by its own clock, so its activity can be under
          Today but not here.
        </Text>
      )}
    </Paper>
  );
}

const ChartWithTable = (chart: Pick<BarsProps, 'label' | 'data' | 'series'>) => (
  <>
    <Bars {...chart} height={chart.data.length === 0 ? emptyHeight : chartHeight} />
    {chart.data.length > 0 && <BarsTable {...chart} />}
  </>
);

const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
