import type { LiveEvent, LiveMessages } from '@freebets/contract';
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallName } from './call.ts';
import { listenTogether } from './live-stream.ts';
import { asking } from './queries.ts';
import { sessionQuery, usePerson } from './session.ts';

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

/** Which reads show things of this kind. */
const reads = {
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
  staff: ['StaffList', 'StaffGet', 'StaffSessions'],
  session: ['SessionList'],
  catalogue: ['CatalogueGames', 'ProviderList', 'GameList'],
  record: ['AuditList'],
} satisfies Record<string, CallName[]>;
export type Kind = keyof typeof reads;

const readsOf = (kind: string): readonly string[] => (reads as Record<string, string[]>)[kind] ?? [];

/** Whoever changes something sees it at once, and does not wait for the stream. */
export const readAgainAbout = async (queries: QueryClient, kind: Kind): Promise<void> => {
  await Promise.all(readsOf(kind).map((name) => queries.invalidateQueries({ queryKey: [name] })));
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
  const { staff_id } = usePerson();
  useEffect(() => {
    // What is to be read again, and the events after which it is; null where it may be any.
    const changed = new Map<string, LiveEvent[] | null>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      for (const [name, events] of changed) {
        const predicate = (query: Query) => isShort(query) && isConcerned(query, events);
        void queries.invalidateQueries({ queryKey: [name], predicate });
      }
      changed.clear();
    };
    const note = (kind: string, clientId: number | null = null, event: LiveEvent | null = null) => {
      if (clientId !== null && isElsewhere(clientId)) return;
      for (const name of readsOf(kind)) {
        const before = changed.has(name) ? changed.get(name) : [];
        changed.set(name, event && before ? [...before, event] : null);
      }
      if (changed.size > 0) timer ??= setTimeout(readAgain, pauseMs);
    };
    const stop = listenTogether(staff_id, {
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
  }, [queries, staff_id]);
}

/** On a screen of one partner, what happens to another changes nothing. */
function isElsewhere(clientId: number): boolean {
  const [, shown] = /\/p\/(\d+)\//.exec(location.pathname) ?? [];
  return shown !== undefined && Number(shown) !== clientId;
}

const ids = ['campaign_id', 'issue_id', 'player_id', 'job_id'] as const;

/** What is read about one thing is read again only where something happened to that thing. */
function isConcerned({ queryKey }: Query, events: LiveEvent[] | null): boolean {
  const asked = (queryKey.at(-1) ?? {}) as Partial<Record<(typeof ids)[number], string>> & { issue_ids?: string[] };
  const isOfOne = ({ issue_id }: LiveEvent) => asked.issue_ids?.some((each) => each === issue_id) ?? true;
  return (
    events === null ||
    events.some((event) => isOfOne(event) && ids.every((id) => (asked[id] ?? event[id]) === event[id]))
  );
}

/** A list of which somebody has opened more and more pages stays as they read it. */
const isShort = ({ state: { data } }: Query): boolean => {
  const { pages = [] } = (data ?? {}) as { pages?: unknown[] };
  return pages.length <= 1;
};
