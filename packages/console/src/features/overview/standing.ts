import type { CampaignGetResponse } from '@freebets/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { addMoney } from '../../ui/sums.ts';

// How things stand, of one partner or of the first few. One partner is read again whenever something happens to it; of several,
// everything is read every ten seconds, so that a busy service is not asked for all of them all the time.

type Partner = AnswerOf<'PartnerList'>['partners'][number];
type OfPartner<T> = T & { client_id: number };

const mostPartners = 10;
const mostCampaigns = 100;

export interface Standing {
  isPending: boolean;
  error: Error | null;
  partners: Partner[];
  /** Whether there is more than what was read. */
  isPartial: boolean;
  hasCampaigns: boolean;
  live: OfPartner<CampaignGetResponse>[];
  exposure: { currency: string; amount: string | null }[];
  failing: Partner[];
  jobs: OfPartner<AnswerOf<'JobList'>['jobs'][number]>[];
}

export function useStanding(clientId: number | undefined): Standing {
  const list = useQuery({ ...asking('PartnerList', { limit: mostPartners }), enabled: clientId === undefined });
  const one = useQuery({ ...asking('PartnerGet', { client_id: clientId ?? 0 }), enabled: clientId !== undefined });
  const partners = clientId === undefined ? (list.data?.partners ?? []) : one.data ? [one.data] : [];
  const pace = <T extends { queryKey: readonly unknown[] }>(options: T): T =>
    partners.length > 1
      ? { ...options, queryKey: ['overview', ...options.queryKey], refetchInterval: 10_000 }
      : options;
  const campaigns = useQueries({
    queries: partners.map(({ client_id }) => pace(asking('CampaignList', { client_id, limit: mostCampaigns }))),
  });
  const jobs = useQueries({
    queries: partners.map(({ client_id }) => pace(asking('JobList', { client_id, status: 'running', limit: 50 }))),
  });
  const all = campaigns.flatMap(({ data }, index) =>
    (data?.campaigns ?? []).map((each) => ({ ...each, client_id: partners[index]?.client_id ?? 0 })),
  );
  const [present, ...rest] = [clientId === undefined ? list : one, ...campaigns, ...jobs];
  return {
    isPending: present?.isPending === true || campaigns.some(({ isPending }) => isPending),
    error: [present, ...rest].find((each) => each?.error)?.error ?? null,
    partners,
    isPartial: list.data?.next_cursor != null || campaigns.some(({ data }) => data?.next_cursor != null),
    hasCampaigns: all.length > 0,
    live: all.filter(({ status }) => status === 'active'),
    exposure: exposureOf(all),
    failing: partners.filter(({ webhook }) => webhook === 'failing'),
    jobs: jobs.flatMap(({ data }, index) =>
      (data?.jobs ?? []).map((each) => ({ ...each, client_id: partners[index]?.client_id ?? 0 })),
    ),
  };
}

/** By currency; without a bound where one campaign has none. */
function exposureOf(campaigns: CampaignGetResponse[]): Standing['exposure'] {
  const sums = new Map<string, string | null>();
  for (const { currency, amount } of campaigns.flatMap(({ exposure }) => exposure)) {
    const before = sums.get(currency);
    const isUnbound = amount === null || before === null;
    sums.set(currency, isUnbound ? null : addMoney(before ?? '0.00', amount));
  }
  return [...sums]
    .map(([currency, amount]) => ({ currency, amount }))
    .filter(({ amount }) => amount === null || !/^0+\.00$/.test(amount))
    .toSorted((a, b) => a.currency.localeCompare(b.currency));
}
