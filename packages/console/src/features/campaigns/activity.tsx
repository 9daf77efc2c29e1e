import type { CampaignGetResponse } from '@freebets/contract';
import { Group, SegmentedControl, Select, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { asking } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { oneOf } from '../../ui/search.ts';
import { viewerZone } from '../../ui/zone.ts';
import { ActivityChart } from './activity-chart.tsx';
import { pointsOf, type Range, ranges, type Window, windowOf } from './activity-series.ts';

const route = getRouteApi('/inside/p/$clientId/campaigns/$campaignId');

const chartHeight = 330;
const rangeNames = Object.keys(ranges) as Range[];
/** What is counted comes a few seconds after what happened. */
const refetchInterval = 10_000;

export function Activity({ clientId, campaign }: { clientId: number; campaign: CampaignGetResponse }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: partner } = useQuery(asking('PartnerGet', { client_id: clientId }));
  const currencies = campaign.bet_amounts.map(({ currency }) => currency);
  const currency = oneOf(currencies, search.currency) ?? currencies[0] ?? '';
  const range = oneOf(rangeNames, search.range) ?? '14';
  // A sandbox may be ahead of the world.
  const nowMs = Date.now() + (partner?.clock?.offset_s ?? 0) * 1000;
  const choose = (changes: typeof search) => void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Activity</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={rangeNames.map((value) => ({ value, label: ranges[value] }))}
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
      />
    </Stack>
  );
}

interface ChartProps {
  clientId: number;
  campaignId: string;
  currency: string;
  window: Window;
}

function Chart({ clientId, campaignId, currency, window }: ChartProps) {
  const { data, error, refetch } = useQuery({
    ...asking('ActivityGet', {
      client_id: clientId,
      campaign_id: campaignId,
      currency,
      ...window,
      time_zone: viewerZone,
    }),
    refetchInterval,
  });
  if (error && !data) return <RefusalNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={chartHeight} />;
  if (data.series.length === 0) {
    return <Empty title={`Nothing happened in ${currency}`}>Choose a longer time, or another currency.</Empty>;
  }
  return <ActivityChart points={pointsOf(data.series, window)} currency={currency} />;
}
