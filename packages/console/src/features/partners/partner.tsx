import { Anchor, SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { AnchorLink } from '../../ui/anchor-link.tsx';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AccessDetails } from '../callers/access.tsx';
import { DisableButton } from '../callers/disable.tsx';
import { SecretsDetails } from '../callers/secrets.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';
import { ClockDetails } from './clock.tsx';
import { OfferDetails } from './offer.tsx';
import { SandboxMark } from './partners.tsx';
import { SettingsDetails } from './settings.tsx';
import { WebhookDetails } from './webhook.tsx';

const route = getRouteApi('/inside/partners/$clientId');

/** One partner: everything that those who run the service set for it. */
export function Partner() {
  const clientId = Number(route.useParams().clientId);
  const { data, error, refetch } = useQuery({
    ...asking('PartnerGet', { client_id: clientId }),
    placeholderData: undefined,
  });
  if (data) return <PartnerPage partner={data} />;
  return (
    <Page title={`Partner ${clientId}`}>
      {error ? <RefusalNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={320} />}
    </Page>
  );
}

function PartnerPage({ partner }: { partner: AnswerOf<'PartnerGet'> }) {
  const may = useMay();
  const owner = { kind: 'partner', key: { client_id: partner.client_id } } as const;
  const caller = { owner, caller: partner, mayChange: may('PartnerUpdate') };
  return (
    <Page
      title={partner.name}
      mark={
        <>
          <Status is={partner.disabled_at === null ? 'active' : 'disabled'} />
          {partner.sandbox && <SandboxMark />}
        </>
      }
      about={<About partner={partner} />}
      actions={caller.mayChange && <DisableButton {...caller} />}
    >
      <AdminRequests target={{ kind: 'partner', id: String(partner.client_id) }} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <SettingsDetails partner={partner} />
        <OfferDetails partner={partner} />
        <SecretsDetails {...caller} hasSecret />
        <AccessDetails {...caller} />
        <WebhookDetails partner={partner} />
        <ClockDetails partner={partner} />
      </SimpleGrid>
    </Page>
  );
}

function About({ partner: { client_id, created_at, disabled_at } }: { partner: AnswerOf<'PartnerGet'> }) {
  const may = useMay();
  return (
    <>
      client_id {client_id} · created <Time at={created_at} />
      {disabled_at !== null && (
        <>
          {' '}
          · disabled <Time at={disabled_at} />
        </>
      )}{' '}
      ·{' '}
      <Anchor component={Link} to={`/p/${client_id}/campaigns`} size="sm" underline="always">
        Campaigns
      </Anchor>
      {may('AuditList') && (
        <>
          {' '}
          ·{' '}
          <AnchorLink to="/audit" search={{ partner: String(client_id) }} size="sm" underline="always">
            What was changed
          </AnchorLink>
        </>
      )}
    </>
  );
}
