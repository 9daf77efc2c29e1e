import { Alert, Code, SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { asking } from '../../api/queries.ts';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { waysQuery } from '../sign-in/ways.ts';
import { FirstSteps } from './first-steps.tsx';
import { LatelyChart } from './lately.tsx';
import { LiveCampaigns } from './live-campaigns.tsx';
import { useStanding } from './standing.ts';
import { Tiles } from './tiles.tsx';
import { Today } from './today.tsx';

const route = getRouteApi('/inside/');

/** How it goes today, of one partner or of all. */
export function Overview() {
  const { partner: text, measure, currency } = route.useSearch();
  const navigate = route.useNavigate();
  const clientId = /^\d+$/.test(text ?? '') ? Number(text) : undefined;
  const standing = useStanding(clientId);
  const { data: partner } = useQuery({
    ...asking('PartnerGet', { client_id: clientId ?? 0 }),
    enabled: clientId !== undefined,
  });
  const now = new Date(Date.now() + (partner?.clock?.offset_s ?? 0) * 1000);
  const isEmpty = !standing.isPending && !standing.error && !standing.hasCampaigns;
  return (
    <Page
      title="Overview"
      about={clientId === undefined ? 'All partners you may see' : (partner?.name ?? `Partner ${clientId}`)}
    >
      {standing.error && <RefusalNote error={standing.error} />}
      {isEmpty ? (
        <FirstSteps partners={standing.partners} />
      ) : (
        <>
          <Tiles clientId={clientId} standing={standing} />
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <Today clientId={clientId} now={now} />
            <LatelyChart
              clientId={clientId}
              now={now}
              shown={{ measure, currency }}
              onShow={(shown) => void navigate({ search: (before) => ({ ...before, ...shown }), replace: true })}
            />
          </SimpleGrid>
          {standing.isPending ? <Skeleton height={200} /> : <LiveCampaigns standing={standing} />}
        </>
      )}
      <DemoHint />
    </Page>
  );
}

function DemoHint() {
  const { data: ways } = useQuery(waysQuery);
  if (!ways?.demo) return null;
  return (
    <Alert color="blue" variant="light" title="This is a demo">
      To see it move, let players play: run <Code>npx freebets simulate</Code> in the folder of the service. The figures
      here follow within seconds.
    </Alert>
  );
}
