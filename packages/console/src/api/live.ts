import type { LiveMessages } from '@freebets/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiPath } from './base.ts';
import { asking } from './queries.ts';
import { sessionQuery } from './session.ts';

// What happens is on the screen without reloading: the stream names what has changed, and what shows it is read again. A stream
// that is cut is taken up by the browser where it was, and one that is refused is opened again.

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
      for (const name of changed) void queries.invalidateQueries({ queryKey: [name], predicate: isShort });
      changed.clear();
    };
    const note = (kind: string, clientId: number | null = null) => {
      if (clientId !== null && isElsewhere(clientId)) return;
      for (const name of readsOf[kind] ?? []) changed.add(name);
      if (changed.size > 0) timer ??= setTimeout(readAgain, pauseMs);
    };
    const stop = listen({
      happened({ client_id, events }) {
        for (const { type } of events) note(type.split('.')[0] ?? '', client_id);
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

/** On a screen of one partner, what happens to another changes nothing. */
function isElsewhere(clientId: number): boolean {
  const [, shown] = /\/p\/(\d+)\//.exec(location.pathname) ?? [];
  return shown !== undefined && Number(shown) !== clientId;
}

/** A list of which somebody has opened more and more pages stays as they read it. */
const isShort = ({ state: { data } }: { state: { data: unknown } }): boolean => {
  const { pages = [] } = (data ?? {}) as { pages?: unknown[] };
  return pages.length <= 1;
};

type Listener = { [K in Exclude<keyof LiveMessages, 'ping'>]: (message: LiveMessages[K]) => void } & { broken(): void };

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

/** A browser takes a stream up again that was cut, but not one that was refused: a server that is restarted refuses. */
function listen({ broken, ...messages }: Listener): () => void {
  let stream: EventSource;
  let pause = firstPauseMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (isAgain: boolean) => {
    stream = new EventSource(`${apiPath}/Live`);
    stream.addEventListener('open', () => {
      pause = firstPauseMs;
      // What was missed meanwhile is not known.
      if (isAgain) messages.reset({});
    });
    stream.addEventListener('error', () => {
      if (stream.readyState !== EventSource.CLOSED) return;
      broken();
      timer = setTimeout(() => open(true), pause);
      pause = Math.min(pause * 2, longestPauseMs);
    });
    for (const [name, take] of Object.entries(messages)) {
      stream.addEventListener(name, ({ data }: MessageEvent<string>) =>
        (take as (message: unknown) => void)(JSON.parse(data)),
      );
    }
  };
  open(false);
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}
