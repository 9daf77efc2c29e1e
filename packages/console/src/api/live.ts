import type { LiveEvent, LiveMessages } from '@freebets/contract';
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallName } from './call.ts';
import { listenWhileVisible } from './live-stream.ts';
import { asking } from './queries.ts';
import { sessionQuery } from './session.ts';

// What happens is on the screen without reloading: the stream names what has changed, and what shows it is read again.

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

/** A change uses up its confirmation. */
const ofConfirmations: CallName[] = ['ConfirmationList', 'ConfirmationsWaiting'];

/** Which reads show things of this kind. */
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
 * Whoever changes something sees it at once, and does not wait for the stream. A read that takes long, or gets no answer, does not withhold
 * what the change was answered: that may be a secret which nobody sees again.
 */
export const readAgainAbout = async (queries: QueryClient, kind: Kind): Promise<void> => {
  const reading = readsOf(kind).map((name) => queries.invalidateQueries({ queryKey: [name] }));
  await Promise.race([Promise.all(reading), new Promise((resolve) => setTimeout(resolve, longestMs))]);
};

/** At most so often, however much happens. */
const pauseMs = 700;

/** One that somebody has asked for is waited for: to read the list again would break it off, and the click be lost. */
const isOfNextPage = ({ state: { fetchMeta } }: Query): boolean => fetchMeta?.fetchMore?.direction === 'forward';

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
    // What is to be read again, and what happened of which it shows something.
    const changed = new Map<string, Happened[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      for (const [name, happened] of changed) {
        if (queries.isFetching({ queryKey: [name], predicate: isOfNextPage }) > 0) continue;
        changed.delete(name);
        const predicate = (query: Query) => isShort(query) && happened.some((each) => isConcerned(query, each));
        void queries.invalidateQueries({ queryKey: [name], predicate });
      }
      if (changed.size > 0) timer = setTimeout(readAgain, pauseMs);
    };
    const note = (kind: string, clientId: number | null = null, event: LiveEvent | null = null) => {
      for (const name of readsOf(kind)) changed.set(name, [...(changed.get(name) ?? []), { clientId, event }]);
      if (changed.size > 0) timer ??= setTimeout(readAgain, pauseMs);
    };
    const stop = listenWhileVisible({
      happened({ client_id, count, events }) {
        // Where there were more, the others may be about anything.
        const areAll = count === events.length;
        for (const event of events) note(event.type.split('.')[0] ?? '', client_id, areAll ? event : null);
      },
      figures: (figures) => showFigures(queries, figures),
      changed({ client_id, changes }) {
        for (const { target } of changes) note(target.kind, client_id);
        note('record');
      },
      reset: () => void queries.invalidateQueries(),
      // Whether it was the server that went, or the session that ended.
      broken: () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [queries]);
}

interface Happened {
  /** Null where it is of no partner, or of all. */
  clientId: number | null;
  /** Null where it may be any. */
  event: LiveEvent | null;
}

const ids = ['campaign_id', 'issue_id', 'player_id', 'job_id'] as const;

type Asked = Partial<Record<(typeof ids)[number], string>> & { client_id?: number; issue_ids?: string[] };

/** What is read about one partner, or one thing, is read again only where something happened to it. */
function isConcerned({ queryKey }: Query, { clientId, event }: Happened): boolean {
  const asked = (queryKey.at(-1) ?? {}) as Asked;
  if (clientId !== null && (asked.client_id ?? clientId) !== clientId) return false;
  if (event === null) return true;
  const isOfOne = asked.issue_ids?.some((each) => each === event.issue_id) ?? true;
  return isOfOne && ids.every((id) => (asked[id] ?? event[id]) === event[id]);
}

/** A list of which somebody has opened more and more pages stays as they read it. */
const isShort = ({ state: { data } }: Query): boolean => {
  const { pages = [] } = (data ?? {}) as { pages?: unknown[] };
  return pages.length <= 1;
};
