import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Details } from '../../ui/details.tsx';
import { count } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import type { PartnerShown } from './settings.tsx';

/** Where the events of a partner go. It is set, and what became of each event is seen, on the screen of its events. */
export function WebhookDetails({ partner: { client_id, webhook: state } }: { partner: PartnerShown }) {
  const may = useMay();
  const { data } = useQuery({ ...asking('WebhookGet', { client_id }), enabled: state !== null });
  const rows: [string, ReactNode][] =
    state === null
      ? [['Events go to', 'nowhere: they are kept to be read']]
      : [
          ['Events go to', data?.url ?? '…'],
          ['State', <Status key="state" is={state} />],
          ['Waiting', data ? `${count(data.waiting)} events` : '…'],
          ['Given up', data ? `${count(data.failed)} events` : '…'],
        ];
  return (
    <Details title="Webhook" rows={rows}>
      <Anchor component={Link} to={`/p/${client_id}/events`} size="sm">
        {may('WebhookSet') ? 'Set the webhook, see events and deliveries' : 'Events and deliveries'}
      </Anchor>
    </Details>
  );
}
