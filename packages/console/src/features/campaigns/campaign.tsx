import type { CampaignGetResponse } from '@freebets/contract';
import { SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { callQuery } from '../../api/queries.ts';
import { idFromPath } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Budget, count, Figure, MoneyList } from '../../ui/figures.tsx';
import { Name, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Activity } from './activity.tsx';
import { CampaignActions } from './campaign-actions.tsx';
import { CampaignTabs } from './campaign-tabs.tsx';
import { Runs } from './campaigns.tsx';
import { PendingLimits, usePendingLimits } from './limits.tsx';
import { TermsPanel, termsOf } from './terms.tsx';

const route = getRouteApi('/inside/p/$clientId/campaigns/$campaignId');

export function Campaign() {
  const { clientId, campaignId: campaignText } = route.useParams();
  const campaignId = idFromPath(campaignText);
  const { data, error, refetch } = useQuery({
    ...callQuery('CampaignGet', { client_id: Number(clientId), campaign_id: campaignId }),
    placeholderData: undefined,
  });
  if (data) return <CampaignView clientId={Number(clientId)} campaign={data} />;
  return (
    <Page title={campaignId}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={320} />}
    </Page>
  );
}

function CampaignView({ clientId, campaign }: { clientId: number; campaign: CampaignGetResponse }) {
  const pending = usePendingLimits(clientId, campaign.campaign_id);
  return (
    <Page
      title={campaign.name}
      mark={<Status is={campaign.status} />}
      about={
        <>
          <Name>{campaign.campaign_id}</Name> · created <Time at={campaign.created_at} /> · <Runs campaign={campaign} />
        </>
      }
      actions={<CampaignActions clientId={clientId} campaign={campaign} />}
    >
      {pending && <PendingLimits draft={pending} />}
      <Figures campaign={campaign} />
      <Activity clientId={clientId} campaign={campaign} />
      <Stack gap="xs">
        <Title order={2}>Terms</Title>
        <TermsPanel terms={termsOf(campaign, campaign)} />
      </Stack>
      <CampaignTabs clientId={clientId} campaign={campaign} />
    </Page>
  );
}

function Figures({ campaign: { counts, config, winnings, exposure } }: { campaign: CampaignGetResponse }) {
  const open = counts.issued - counts.cancelled - counts.expired - counts.finished;
  const others = `${count(counts.finished)} finished, ${count(counts.expired)} expired, ${count(counts.cancelled)} cancelled`;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, sm: 3, lg: 5 }} spacing="sm">
      <Figure isPanel name="Cap used">
        <Budget given={counts.issued - counts.cancelled} limit={config.bonus_limit} />
      </Figure>
      <Figure isPanel name="Open free bets" about={others}>
        {count(open)}
      </Figure>
      <Figure isPanel name="Bets placed">
        {count(counts.bets_placed)}
      </Figure>
      <Figure isPanel name="Won">
        <MoneyList amounts={winnings} most={4} />
      </Figure>
      <Figure isPanel name="Exposure" about="the most that unused and unsettled bets can win">
        <MoneyList amounts={exposure} most={4} />
      </Figure>
    </SimpleGrid>
  );
}
