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
import { pointsOf, type Range, rangesOf, type Window, windowOf } from './activity-series.ts';

const route = getRouteApi('/inside/p/$clientId/campaigns/$campaignId');

const chartHeight = 330;
/** What is counted comes a few seconds after what happened. */
const refetchInterval = 10_000;

export function Activity({ clientId, campaign }: { clientId: number; campaign: CampaignGetResponse }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: partner } = useQuery(asking('PartnerGet', { client_id: clientId }));
  const currencies = campaign.bet_amounts.map(({ currency }) => currency);
  const currency = oneOf(currencies, search.currency) ?? currencies[0] ?? '';
  // A sandbox may be ahead of the world.
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
            ? 'Other times and currencies stand under Reports.'
            : 'Choose a longer time, or another currency.'
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
  /** Where nothing is to be seen. */
  advice: string;
}

function Chart({ clientId, campaignId, currency, window, advice }: ChartProps) {
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
    return <Empty title={`Nothing happened in ${currency}`}>{advice}</Empty>;
  }
  return <ActivityChart points={pointsOf(data.series, window)} currency={currency} />;
}
