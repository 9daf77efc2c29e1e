import { oneOf } from '../../ui/search.ts';
import { dayOf, dayText, midnight, timestamp, viewerZone } from '../../ui/zone.ts';

// What a report is about, as the address has it: days are inclusive, and those of the viewer.

export const groups = ['partner', 'campaign', 'game', 'provider', 'currency', 'day', 'month'] as const;
export type ReportGroup = (typeof groups)[number];

export const measures = ['issued', 'cancelled', 'expired', 'bets', 'settled', 'staked', 'won'] as const;
export type Measure = (typeof measures)[number];
export const isMoney = (measure: Measure): boolean => measure === 'staked' || measure === 'won';

export const mostGroups = 3;

export interface InAddress {
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
  /** What the server is asked, but for the groups. */
  asked: {
    from: string;
    until: string;
    time_zone: string;
    client_id?: number;
    sandboxes?: boolean;
    campaign_id?: string;
  };
}

/** From a day to a day, both of them with it. */
export const quickChoices = (now: Date): { label: string; from: string; to: string }[] => {
  const month = (offset: number, day: number) => dayText(new Date(now.getFullYear(), now.getMonth() + offset, day));
  return [
    { label: 'Last 7 days', from: dayText(midnight(now, -6)), to: dayText(now) },
    { label: 'This month', from: month(0, 1), to: month(1, 0) },
    { label: 'Last month', from: month(-1, 1), to: month(0, 0) },
  ];
};

/** Of a report. */
export const mostDays = 367;

/** Why there is no such report, in a title and what to do. */
export function troubleOf({ from, to, asked }: Selection): [string, string] | undefined {
  if (from > to) return ['The last day is before the first', 'Choose another range.'];
  // A day may be longer or shorter where clocks are set.
  const days = Math.round((Date.parse(asked.until) - Date.parse(asked.from)) / 86_400_000);
  return days > mostDays ? ['That is too long a time', `A report is of ${mostDays} days at most.`] : undefined;
}

type Whose = Pick<Selection['asked'], 'client_id' | 'sandboxes'>;

export function selectionOf(search: InAddress, whose: Whose, now: Date): Selection {
  const [, thisMonth] = quickChoices(now);
  const from = dayOf(search.from) ?? dayOf(thisMonth?.from) ?? midnight(now);
  const to = dayOf(search.to) ?? dayOf(thisMonth?.to) ?? midnight(now);
  const named = (search.by ?? '').split(',').flatMap((word) => oneOf(groups, word) ?? []);
  const by = [...new Set(named)].slice(0, mostGroups);
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
