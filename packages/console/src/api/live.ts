import type { LiveMessages } from '@freebets/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiPath } from './base.ts';
import { asking } from './queries.ts';

// What happens is on the screen without reloading: the stream names what has changed, and what shows it is read again. A stream
// that breaks is taken up by the browser where it was.

const ofFreeBets = [
  'FreeBetGet',
  'FreeBetList',
  'PlayerGet',
  'CampaignGet',
  'CampaignList',
  'CampaignSearch',
  'ActivityGet',
  'EventsList',
  'EventSearch',
  'DeliveryList',
];

/** Which reads show things of this kind. */
const readsOf: Record<string, string[]> = {
  campaign: ['CampaignGet', 'CampaignList', 'CampaignSearch', 'DraftList', 'EventSearch', 'OverviewGet'],
  free_bet: ofFreeBets,
  freebet: ofFreeBets,
  bet: ofFreeBets,
  job: ['JobGet', 'JobList', 'CampaignGet', 'JobRefusals', 'EventSearch', 'OverviewGet'],
  draft: ['DraftList', 'DraftGet', 'DraftsWaiting', 'OverviewGet'],
  partner: ['PartnerList', 'PartnerGet', 'WebhookGet', 'OverviewGet'],
  provider: ['ProviderList', 'CatalogueGames'],
  webhook: ['WebhookGet', 'DeliveryList', 'PartnerGet', 'PartnerList', 'OverviewGet'],
  sandbox_clock: ['SandboxClockGet', 'PartnerGet', ...ofFreeBets],
  staff: ['StaffList', 'StaffSessions'],
  catalogue: ['CatalogueGames'],
  record: ['AuditList'],
};

/** Whoever changes something sees it at once, and does not wait for the stream. */
export const readAgainAbout = async (queries: QueryClient, kind: string): Promise<void> => {
  await Promise.all((readsOf[kind] ?? []).map((name) => queries.invalidateQueries({ queryKey: [name] })));
};

/** At most so often, however much happens. */
const pauseMs = 700;

/** How a campaign stands is in the message itself, and on the screen at once. */
function showFigures(queries: QueryClient, { client_id, campaigns }: LiveMessages['figures']): void {
  for (const { campaign_id, ...figures } of campaigns) {
    const { queryKey } = asking('CampaignGet', { client_id, campaign_id });
    queries.setQueryData(queryKey, (campaign) => campaign && { ...campaign, ...figures });
  }
}

export function useLive(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      for (const name of changed) void queries.invalidateQueries({ queryKey: [name] });
      changed.clear();
    };
    const note = (kind: string) => {
      for (const name of readsOf[kind] ?? []) changed.add(name);
      if (changed.size > 0) timer ??= setTimeout(readAgain, pauseMs);
    };
    const stream = new EventSource(`${apiPath}/Live`);
    stream.addEventListener('happened', ({ data }) => {
      for (const { type } of (JSON.parse(data) as LiveMessages['happened']).events) note(type.split('.')[0] ?? '');
    });
    stream.addEventListener('figures', ({ data }) => showFigures(queries, JSON.parse(data)));
    stream.addEventListener('changed', ({ data }) => {
      for (const { target } of (JSON.parse(data) as LiveMessages['changed']).changes) note(target.kind);
      note('record');
    });
    stream.addEventListener('reset', () => void queries.invalidateQueries());
    return () => {
      stream.close();
      clearTimeout(timer);
    };
  }, [queries]);
}
