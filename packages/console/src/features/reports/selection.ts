import type { StaffResponseOf } from '@freebets/contract';
import { oneOf } from '../../ui/address.ts';
import { dayOf, dayText, midnight, timestamp, viewerZone } from '../../ui/dates.ts';

// The selection of a report, as in the address. Days are inclusive and in the viewer's time zone.

export const groups = ['partner', 'campaign', 'game', 'provider', 'currency', 'day', 'month'] as const;
export type ReportGroup = (typeof groups)[number];
export const groupText = (group: ReportGroup): string => (group === 'provider' ? 'game provider' : group);

export const measures = ['issued', 'cancelled', 'expired', 'bets', 'settled', 'staked', 'won'] as const;
export type Measure = (typeof measures)[number];
export const isMoney = (measure: Measure): boolean => measure === 'staked' || measure === 'won';

export const maxGroups = 3;

export interface ReportSearch {
  partner?: string;
  sandboxes?: string;
  campaign?: string;
  from?: string;
  to?: string;
  by?: string;
  measure?: string;
  currency?: string;
}

export interface Selection {
  from: string;
  to: string;
  by: ReportGroup[];
  /** The request, except for the groups. */
  asked: {
    from: string;
    until: string;
    time_zone: string;
    client_id?: number;
    sandboxes?: boolean;
    campaign_id?: string;
  };
}

/** Periods with both days included. */
export const quickChoices = (now: Date): { label: string; from: string; to: string }[] => {
  const month = (offset: number, day: number) => dayText(new Date(now.getFullYear(), now.getMonth() + offset, day));
  return [
    { label: 'Last 7 days', from: dayText(midnight(now, -6)), to: dayText(now) },
    { label: 'This month', from: month(0, 1), to: month(1, 0) },
    { label: 'Last month', from: month(-1, 1), to: month(0, 0) },
  ];
};

/** The longest period of a report. */
export const maxReportDays = 367;

/** Why the selection is invalid, and what to do. */
export function selectionError({ from, to, asked }: Selection): [string, string] | undefined {
  if (from > to) return ['The end date is before the start date', 'Choose another period.'];
  // Rounds, because a day can have 23 or 25 hours.
  const days = Math.round((Date.parse(asked.until) - Date.parse(asked.from)) / 86_400_000);
  return days > maxReportDays ? ['The period is too long', `A report covers up to ${maxReportDays} days.`] : undefined;
}

type Whose = Pick<Selection['asked'], 'client_id' | 'sandboxes'>;

export function selectionOf(search: ReportSearch, whose: Whose, now: Date): Selection {
  const [, thisMonth] = quickChoices(now);
  const from = dayOf(search.from) ?? dayOf(thisMonth?.from) ?? midnight(now);
  const to = dayOf(search.to) ?? dayOf(thisMonth?.to) ?? midnight(now);
  const named = (search.by ?? '').split(',').flatMap((word) => oneOf(groups, word) ?? []);
  const by = [...new Set(named)].slice(0, maxGroups);
  return {
    from: dayText(from),
    to: dayText(to),
    by: by.length === 0 ? ['campaign'] : by,
    asked: {
      from: timestamp(from),
      until: timestamp(midnight(to, 1)),
      time_zone: viewerZone,
      ...whose,
      ...(search.campaign && { campaign_id: search.campaign }),
    },
  };
}

export type Row = StaffResponseOf<'ReportGet'>['rows'][number];

const noGame = 'no game (not played)';

/** The name of a row in each group. */
const words: Record<ReportGroup, (row: Row) => string> = {
  partner: ({ client_id, partner_name }) => partner_name ?? `Partner ${client_id}`,
  campaign: ({ campaign_id, campaign_name }) => campaign_name ?? campaign_id ?? 'without a campaign',
  game: ({ game_id, game_title }) => game_title ?? game_id ?? noGame,
  provider: ({ provider_id, provider_name }) => provider_name ?? provider_id ?? noGame,
  currency: ({ currency }) => currency,
  day: ({ day = '' }) => day,
  month: ({ month = '' }) => month,
};

export const nameOf = (group: ReportGroup, row: Row): string => words[group](row);

/** Names that several campaigns share. These are shown with the ID. */
export function sharedNames(rows: Row[]): Set<string> {
  const ids = Map.groupBy(rows, (row) => nameOf('campaign', row));
  const isShared = (some: Row[]) =>
    new Set(some.map(({ client_id, campaign_id }) => `${client_id} ${campaign_id}`)).size > 1;
  return new Set([...ids].flatMap(([name, some]) => (isShared(some) ? [name] : [])));
}

/** A unique key of a row, because names can repeat. */
export const keyOf = ({ client_id, campaign_id, game_id, provider_id, day, month, currency }: Row): string =>
  [client_id, campaign_id, game_id, provider_id, day, month, currency].join('\n');
