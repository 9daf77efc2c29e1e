import type { LiveEvent, LiveMessages } from '@freebets/contract';
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallName } from './call.ts';
import { listenWhileVisible } from './live-stream.ts';
import { callQuery } from './queries.ts';
import { sessionQuery } from './session.ts';

// Keeps screens up to date: the stream lists what changed, and the queries that show it are refreshed.

const ofFreeBets: CallName[] = [
  'FreeBetGet',
  'FreeBetList',
  'FreeBetStories',
  'PlayerGet',
  'CampaignGet',
  'CampaignList',
  'CampaignSearch',
  'ActivityGet',
  'EventsList',
  'EventSearch',
  'DeliveryList',
];

/** Making a change uses up its confirmation. */
const ofConfirmations: CallName[] = ['ConfirmationList', 'ConfirmationsWaiting'];

/** The operations whose responses contain things of this kind. */
const reads = {
  campaign: ['CampaignGet', 'CampaignList', 'CampaignSearch', 'DraftList', 'EventSearch', 'OverviewGet'],
  free_bet: ofFreeBets,
  freebet: ofFreeBets,
  bet: ofFreeBets,
  job: ['JobGet', 'JobList', 'CampaignGet', 'JobRefusals', 'EventSearch', 'OverviewGet'],
  draft: ['DraftList', 'DraftGet', 'DraftsWaiting', 'OverviewGet'],
  partner: ['PartnerList', 'PartnerGet', 'WebhookGet', 'OverviewGet', ...ofConfirmations],
  provider: ['ProviderList', 'CatalogueGames', ...ofConfirmations],
  confirmation: ofConfirmations,
  webhook: ['WebhookGet', 'DeliveryList', 'PartnerGet', 'PartnerList', 'OverviewGet'],
  sandbox_clock: ['SandboxClockGet', 'PartnerGet', ...ofFreeBets],
  staff: ['StaffList', 'StaffGet', 'StaffSessions', ...ofConfirmations],
  session: ['SessionList'],
  catalogue: ['CatalogueGames', 'ProviderList', 'GameList'],
  record: ['AuditList'],
} satisfies Record<string, CallName[]>;
export type Kind = keyof typeof reads;

const readsOf = (kind: string): readonly string[] => (reads as Record<string, string[]>)[kind] ?? [];

const longestMs = 2000;

/**
 * Shows a change at once instead of waiting for the stream. Waits only a limited time, so that a slow read does not
 * hold back the response of the change: it can be a secret that is shown only once.
 */
export const refreshKind = async (queries: QueryClient, kind: Kind): Promise<void> => {
  const reading = readsOf(kind).map((name) => queries.invalidateQueries({ queryKey: [name] }));
  await Promise.race([Promise.all(reading), new Promise((resolve) => setTimeout(resolve, longestMs))]);
};

/** The shortest time between two refreshes. */
const pauseMs = 700;

/** A refresh would abort a page that the user asked for, so it waits for that page. */
const isOfNextPage = ({ state: { fetchMeta } }: Query): boolean => fetchMeta?.fetchMore?.direction === 'forward';

/** The message contains the new figures, so no read is needed. */
function showFigures(queries: QueryClient, { client_id, campaigns }: LiveMessages['figures']): void {
  for (const { campaign_id, ...figures } of campaigns) {
    const { queryKey } = callQuery('CampaignGet', { client_id, campaign_id });
    queries.setQueryData(queryKey, (campaign) => campaign && { ...campaign, ...figures });
  }
}

export function useLive(): void {
  const queries = useQueryClient();
  useEffect(() => {
    // The operations to refresh, and the events that concern each.
    const changed = new Map<string, Happened[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      timer = undefined;
      for (const [name, happened] of changed) {
        if (queries.isFetching({ queryKey: [name], predicate: isOfNextPage }) > 0) continue;
        changed.delete(name);
        const predicate = (query: Query) => hasOnePage(query) && happened.some((each) => concerns(query, each));
        void queries.invalidateQueries({ queryKey: [name], predicate });
      }
      if (changed.size > 0) timer = setTimeout(refresh, pauseMs);
    };
    const note = (kind: string, clientId: number | null = null, event: LiveEvent | null = null) => {
      for (const name of readsOf(kind)) changed.set(name, [...(changed.get(name) ?? []), { clientId, event }]);
      if (changed.size > 0) timer ??= setTimeout(refresh, pauseMs);
    };
    const stop = listenWhileVisible({
      happened({ client_id, count, events }) {
        // If there were more events than listed, the others can concern anything.
        const areAll = count === events.length;
        for (const event of events) note(event.type.split('.')[0] ?? '', client_id, areAll ? event : null);
      },
      figures: (figures) => showFigures(queries, figures),
      changed({ client_id, changes }) {
        for (const { target } of changes) note(target.kind, client_id);
        note('record');
      },
      reset: () => void queries.invalidateQueries(),
      // Finds out whether the server is down or the session ended.
      broken: () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [queries]);
}

interface Happened {
  /** Null if it belongs to no partner, or to all. */
  clientId: number | null;
  /** Null if it can be any. */
  event: LiveEvent | null;
}

const ids = ['campaign_id', 'issue_id', 'player_id', 'job_id'] as const;

type QueryRequest = Partial<Record<(typeof ids)[number], string>> & { client_id?: number; issue_ids?: string[] };

/** A query about one partner or one thing is refreshed only for events about it. */
function concerns({ queryKey }: Query, { clientId, event }: Happened): boolean {
  const asked = (queryKey.at(-1) ?? {}) as QueryRequest;
  if (clientId !== null && (asked.client_id ?? clientId) !== clientId) return false;
  if (event === null) return true;
  const isOfOne = asked.issue_ids?.some((each) => each === event.issue_id) ?? true;
  return isOfOne && ids.every((id) => (asked[id] ?? event[id]) === event[id]);
}

/** A list with several loaded pages is not refreshed while the user reads it. */
const hasOnePage = ({ state: { data } }: Query): boolean => {
  const { pages = [] } = (data ?? {}) as { pages?: unknown[] };
  return pages.length <= 1;
};
