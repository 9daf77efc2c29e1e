import { Alert, Button, Code, Group, SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callQuery } from '../../api/queries.ts';
import { useMay, useMayForAll } from '../../api/session.ts';
import { viewerZone } from '../../ui/dates.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { type PartnerScope, partnersToChoose, SandboxChoice, usePartnerScope } from '../../ui/partner-select.tsx';
import { signInMethodsQuery } from '../sign-in/methods.tsx';
import { FailingWebhooks, LiveCampaigns, RunningBulkAwards } from './live-campaigns.tsx';
import type { OverviewData } from './overview-data.ts';
import { RecentActivityChart } from './recent-activity.tsx';
import { Tiles } from './tiles.tsx';
import { Today } from './today.tsx';

const route = getRouteApi('/inside/');

/** Hourly figures lag a few seconds behind, so faster polling would not help. */
const pollMs = 3_000;

/** The dashboard of one partner or of all partners. */
export function Overview() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const scope = usePartnerScope(search);
  const { data, error, refetch } = useQuery({
    ...callQuery('OverviewGet', { ...scope.asked, time_zone: viewerZone }),
    enabled: !scope.isPending,
    refetchInterval: pollMs,
  });
  const show = (next: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page
      title="Overview"
      about={<About scope={scope} />}
      actions={<SandboxChoice scope={scope} onChange={(sandboxes) => show({ sandboxes })} />}
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data ? (
        <FirstSteps clientId={scope.clientId} overview={data}>
          <Tiles scope={scope} overview={data} />
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <Today overview={data} haveOneClock={scope.clientId !== undefined || !scope.areSandboxes} />
            <RecentActivityChart asked={scope.asked} now={new Date(data.now)} shown={search} onShow={show} />
          </SimpleGrid>
          <FailingWebhooks overview={data} />
          <RunningBulkAwards overview={data} />
          <LiveCampaigns clientId={scope.clientId} overview={data} />
        </FirstSteps>
      ) : (
        !error && <Loading />
      )}
      <DemoHint />
    </Page>
  );
}

function About({ scope: { clientId, areSandboxes, canChoose } }: { scope: PartnerScope }) {
  const { data } = useQuery({
    ...callQuery('PartnerGet', { client_id: clientId ?? 0 }),
    enabled: clientId !== undefined,
    placeholderData: undefined,
  });
  if (clientId !== undefined) return data?.name ?? `Partner ${clientId}`;
  if (areSandboxes) return canChoose ? 'All your sandboxes, without live partners' : 'All your sandboxes';
  return canChoose ? 'All your live partners, without sandboxes' : 'All your partners';
}

/** Placeholders. */
const Loading = () => (
  <>
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} aria-hidden>
      {['live', 'exposure', 'webhooks', 'lists', 'approvals'].map((each) => (
        <Skeleton key={each} height={96} />
      ))}
    </SimpleGrid>
    <SimpleGrid cols={{ base: 1, lg: 2 }} aria-hidden>
      <Skeleton height={260} />
      <Skeleton height={260} />
    </SimpleGrid>
  </>
);

function DemoHint() {
  const { data: methods } = useQuery(signInMethodsQuery);
  if (!methods?.demo) return null;
  return (
    <Alert color="blue" variant="light" title="This is a demo">
      To generate player traffic, run <Code>npx freebets simulate</Code> in the folder of the service. The figures here
      follow within seconds.
    </Alert>
  );
}

interface FirstStepsProps {
  clientId: number | undefined;
  overview: OverviewData;
  /** The dashboard, if there is anything to show. */
  children: ReactNode;
}

/** Replaces an empty dashboard with the user's next step. */
function FirstSteps({ clientId, overview, children }: FirstStepsProps) {
  const { data: all } = useQuery(partnersToChoose());
  const isQuiet = clientId !== undefined && overview.live_campaigns === 0;
  const { data: some } = useQuery({
    ...callQuery('CampaignList', { client_id: clientId ?? 0, limit: 1 }),
    enabled: isQuiet,
  });
  if (all?.partners.length === 0) return <NoPartner />;
  return isQuiet && some?.campaigns.length === 0 ? <NoCampaign clientId={clientId} /> : children;
}

function NoPartner() {
  const mayForAll = useMayForAll();
  return (
    <Empty title="No partners yet">
      {mayForAll('PartnerCreate')
        ? 'Import the game catalogue, then create the first partner.'
        : 'An admin must create a partner or give you access to one.'}
      {mayForAll('PartnerCreate') && (
        <Group justify="center" mt="md">
          <Button component={Link} to="/games" variant="default">
            Games
          </Button>
          <Button component={Link} to="/partners/new">
            Create partner
          </Button>
        </Group>
      )}
    </Empty>
  );
}

function NoCampaign({ clientId }: { clientId: number }) {
  const may = useMay();
  return (
    <Empty title="No campaigns yet">
      A campaign sets the games, stakes, dates and caps of its free bets. Its figures appear here while it runs.
      {may('DraftSave') && (
        <Group justify="center" mt="md">
          <Button component={Link} to={`/p/${clientId}/drafts/new`}>
            Create first campaign
          </Button>
        </Group>
      )}
    </Empty>
  );
}
