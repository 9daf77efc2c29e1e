import type { CampaignGetResponse } from '@freebets/contract';
import { Group, SegmentedControl, Select, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { callQuery } from '../../api/queries.ts';
import { oneOf } from '../../ui/address.ts';
import { Bars } from '../../ui/bars.tsx';
import { viewerZone } from '../../ui/dates.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count, moneyText } from '../../ui/figures.tsx';
import { centsOf } from '../../ui/numbers.ts';
import { Empty } from '../../ui/page.tsx';
import { type Point, pointName, pointsOf, type Range, rangesOf, type Window, windowOf } from './activity-series.ts';

const route = getRouteApi('/inside/p/$clientId/campaigns/$campaignId');

const chartHeight = 330;
/** Activity is counted with a delay of a few seconds. */
const refetchInterval = 10_000;

export function Activity({ clientId, campaign }: { clientId: number; campaign: CampaignGetResponse }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: partner } = useQuery(callQuery('PartnerGet', { client_id: clientId }));
  const currencies = campaign.bet_amounts.map(({ currency }) => currency);
  const currency = oneOf(currencies, search.currency) ?? currencies[0] ?? '';
  // A sandbox's clock can be ahead of real time.
  const nowMs = Date.now() + (partner?.clock?.offset_s ?? 0) * 1000;
  const ranges = rangesOf(nowMs, campaign.created_at);
  const range = oneOf(Object.keys(ranges) as Range[], search.range) ?? '14';
  const choose = (changes: typeof search) => void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Activity</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
            value={range}
            onChange={(value) => choose({ range: value })}
          />
          {currencies.length > 1 && (
            <Select
              size="xs"
              aria-label="Currency"
              data={currencies}
              value={currency}
              onChange={(value) => choose({ currency: value ?? undefined })}
              allowDeselect={false}
              searchable={currencies.length > 8}
              w={100}
            />
          )}
        </Group>
      </Group>
      <Chart
        clientId={clientId}
        campaignId={campaign.campaign_id}
        currency={currency}
        window={windowOf(range, nowMs, campaign.created_at)}
        advice={
          range === 'all'
            ? 'For other periods and currencies, see Reports.'
            : 'Choose a longer period or another currency.'
        }
      />
    </Stack>
  );
}

interface ChartProps {
  clientId: number;
  campaignId: string;
  currency: string;
  window: Window;
  /** Shown if there is no activity. */
  advice: string;
}

function Chart({ clientId, campaignId, currency, window, advice }: ChartProps) {
  const { data, error, refetch } = useQuery({
    ...callQuery('ActivityGet', {
      client_id: clientId,
      campaign_id: campaignId,
      currency,
      ...window,
      time_zone: viewerZone,
    }),
    refetchInterval,
  });
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={chartHeight} />;
  if (data.series.length === 0) {
    return <Empty title={`No activity in ${currency}`}>{advice}</Empty>;
  }
  return <ActivityChart points={pointsOf(data.series, window)} currency={currency} />;
}

interface ActivityProps {
  points: Point[];
  currency: string;
}

/** Two charts over the same period, because counts and money have no common scale. */
function ActivityChart({ points, currency }: ActivityProps) {
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

/** The chart as a table for screen readers. */
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
