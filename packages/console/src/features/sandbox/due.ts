import type { CampaignGetResponse, FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { count } from '../../ui/money.tsx';

// What time will decide about a sandbox: free bets that expire, campaigns that begin or end.

/** Of each status, at most so many are read. */
const pagesRead = 5;
const open = ['issued', 'active', 'in_use'] as const satisfies FreeBetStatus[];

export interface Due {
  freeBets: FreeBetBody[];
  campaigns: CampaignGetResponse[];
  /** There are more free bets, or campaigns, than were read. */
  isMore: boolean;
}

async function openFreeBets(clientId: number, status: FreeBetStatus, signal: AbortSignal) {
  const freeBets: FreeBetBody[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesRead; page++) {
    const read: { free_bets: FreeBetBody[]; next_cursor: string | null } = await call(
      'FreeBetList',
      { client_id: clientId, status, limit: 200, ...(cursor !== null && { cursor }) },
      signal,
    );
    freeBets.push(...read.free_bets);
    cursor = read.next_cursor;
    if (cursor === null) break;
  }
  return { freeBets: freeBets.filter(({ remaining }) => remaining > 0), isMore: cursor !== null };
}

export const dueQuery = (clientId: number) =>
  queryOptions({
    queryKey: ['FreeBetList', 'due', clientId],
    queryFn: async ({ signal }): Promise<Due> => {
      const campaignsOf = (status: 'active' | 'scheduled') =>
        call('CampaignSearch', { client_id: clientId, status, sort: 'ends_soonest', limit: 100 }, signal);
      const [read, ...found] = await Promise.all([
        Promise.all(open.map((status) => openFreeBets(clientId, status, signal))),
        campaignsOf('active'),
        campaignsOf('scheduled'),
      ]);
      return {
        freeBets: read.flatMap(({ freeBets }) => freeBets),
        campaigns: found.flatMap(({ campaigns }) => campaigns),
        isMore: read.some(({ isMore }) => isMore) || found.some(({ next_cursor }) => next_cursor !== null),
      };
    },
    staleTime: 30_000,
  });

export interface Passed {
  expired: number;
  /** By campaign, the most first; null for those given directly. */
  byCampaign: { campaignId: string | null; count: number }[];
  ended: CampaignGetResponse[];
  begun: CampaignGetResponse[];
}

/** What will have happened by then. */
export function passedBy({ freeBets, campaigns }: Due, nowMs: number, thenMs: number): Passed {
  const isBetween = (time: string) => Date.parse(time) > nowMs && Date.parse(time) <= thenMs;
  const expired = freeBets.filter(({ expires_at }) => Date.parse(expires_at) <= thenMs);
  const counts = new Map<string | null, number>();
  for (const { campaign_id } of expired) counts.set(campaign_id, (counts.get(campaign_id) ?? 0) + 1);
  return {
    expired: expired.length,
    byCampaign: [...counts]
      .map(([campaignId, each]) => ({ campaignId, count: each }))
      .toSorted((a, b) => b.count - a.count),
    ended: campaigns.filter(({ valid_until }) => isBetween(valid_until)),
    begun: campaigns.filter(({ valid_from }) => isBetween(valid_from)),
  };
}

/** The next time at which anything expires, begins or ends. */
export function nextChange({ freeBets, campaigns }: Due, nowMs: number): number | undefined {
  const times = [
    ...freeBets.map(({ expires_at }) => expires_at),
    ...campaigns.flatMap(({ valid_from, valid_until }) => [valid_from, valid_until]),
  ].map((time) => Date.parse(time));
  const ahead = times.filter((time) => time > nowMs);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

const shown = 5;
const others = (length: number): string => (length > shown ? ` and ${count(length - shown)} others` : '');
const namesOf = (campaigns: CampaignGetResponse[]): string =>
  `${campaigns
    .slice(0, shown)
    .map(({ name }) => name)
    .join(', ')}${others(campaigns.length)}`;
const some = (value: number, one: string, many: string): string => `${count(value)} ${value === 1 ? one : many}`;

/** What happens on the way, with names. */
export function sentencesOf({ expired, byCampaign, begun, ended }: Passed, isMore: boolean): string[] {
  const from = byCampaign
    .slice(0, shown)
    .map(({ campaignId, count: each }) => `${count(each)} of ${campaignId ?? 'those given directly'}`)
    .join(', ');
  return [
    `${isMore ? 'at least ' : ''}${some(expired, 'free bet expires', 'free bets expire')}${from && `: ${from}`}${others(byCampaign.length)}`,
    ...(begun.length > 0 ? [`${some(begun.length, 'campaign begins', 'campaigns begin')}: ${namesOf(begun)}`] : []),
    ...(ended.length > 0 ? [`${some(ended.length, 'campaign ends', 'campaigns end')}: ${namesOf(ended)}`] : []),
  ];
}

/** The same in one line. */
export function briefly({ expired, begun, ended }: Passed, isMore: boolean): string {
  const parts = [
    expired > 0 && some(expired, 'free bet expires', 'free bets expire'),
    begun.length > 0 && some(begun.length, 'campaign begins', 'campaigns begin'),
    ended.length > 0 && some(ended.length, 'campaign ends', 'campaigns end'),
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'nothing happens' : `${isMore ? 'at least ' : ''}${parts.join(', ')}`;
}
