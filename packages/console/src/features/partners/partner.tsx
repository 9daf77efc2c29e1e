import { Anchor, SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/figures.tsx';
import { AnchorLink, Details, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { exactText, Time } from '../../ui/time.tsx';
import { AccessDetails, DisableButton } from '../callers/caller.tsx';
import { SecretsDetails } from '../callers/secrets.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';
import { SandboxMark } from './partners.tsx';
import { OfferDetails, type PartnerShown, SettingsDetails } from './settings.tsx';

const route = getRouteApi('/inside/partners/$clientId');

export function Partner() {
  const clientId = Number(route.useParams().clientId);
  const { data, error, refetch } = useQuery({
    ...callQuery('PartnerGet', { client_id: clientId }),
    placeholderData: undefined,
  });
  if (data) return <PartnerPage partner={data} />;
  return (
    <Page title={`Partner ${clientId}`}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={320} />}
    </Page>
  );
}

function PartnerPage({ partner }: { partner: CallResponse<'PartnerGet'> }) {
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

function About({ partner: { client_id, created_at, disabled_at } }: { partner: CallResponse<'PartnerGet'> }) {
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
            Audit log
          </AnchorLink>
        </>
      )}
    </>
  );
}

function aheadText(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const [days, rest] = [Math.floor(hours / 24), hours % 24];
  if (hours === 0) return 'by less than an hour';
  return `by ${days > 0 ? `${days} d ` : ''}${rest} h`;
}

function ClockDetails({ partner: { client_id, clock } }: { partner: PartnerShown }) {
  const may = useMay();
  if (clock === null) return null;
  return (
    <Details
      title="Sandbox clock"
      rows={[
        ['Time', exactText(clock.now)],
        ['Ahead of real time', clock.offset_s === 0 ? 'no' : aheadText(clock.offset_s)],
      ]}
    >
      {may('SandboxClockSet') && (
        <Anchor component={Link} to={`/p/${client_id}/clock`} size="sm">
          Move clock forward
        </Anchor>
      )}
    </Details>
  );
}

/** A summary; the Events screen has the settings and the deliveries. */
function WebhookDetails({ partner: { client_id, webhook: state } }: { partner: PartnerShown }) {
  const may = useMay();
  const { data } = useQuery({ ...callQuery('WebhookGet', { client_id }), enabled: state !== null });
  const rows: [string, ReactNode][] =
    state === null
      ? [['URL', 'none: the partner can poll the event feed']]
      : [
          ['URL', data?.url ?? '…'],
          ['Status', <Status key="state" is={state} />],
          ['Waiting', data ? `${count(data.waiting)} events` : '…'],
          ['Failed', data ? `${count(data.failed)} events` : '…'],
        ];
  return (
    <Details title="Webhook" rows={rows}>
      <Anchor component={Link} to={`/p/${client_id}/events`} size="sm">
        {may('WebhookSet') ? 'Webhook settings, events and deliveries' : 'Events and deliveries'}
      </Anchor>
    </Details>
  );
}
