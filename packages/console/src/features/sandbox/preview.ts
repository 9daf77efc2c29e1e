import type { AnswerOf } from '../../api/call.ts';
import { idInPath } from '../../ui/address-id.ts';
import { count } from '../../ui/money.tsx';

// What time will decide about a sandbox on the way to a time: free bets that expire, campaigns that begin or end, lists that begin or are removed.

export type Preview = AnswerOf<'ClockPreview'>;
type Many = Preview['free_bets']['expire'];

/** Where not all were looked at, none of those that were is no promise. */
const some = ({ count: value, is_more }: Many, one: string, many: string): string[] =>
  value === 0 && !is_more ? [] : [`${is_more ? 'at least ' : ''}${count(value)} ${value === 1 ? one : many}`];

/** In one line. */
export function briefly({ free_bets: { expire }, campaigns: { begin, end }, jobs }: Preview): string {
  const parts = [
    ...some(expire, 'free bet expires', 'free bets expire'),
    ...some(begin, 'campaign begins', 'campaigns begin'),
    ...some(end, 'campaign ends', 'campaigns end'),
    ...some(jobs.begin, 'list begins', 'lists begin'),
    ...some(jobs.removed, 'list that was never started is removed', 'lists that were never started are removed'),
  ];
  return parts.length === 0 ? 'nothing expires, begins, ends or is removed' : parts.join(', ');
}

export interface Turn {
  at: string;
  text: string;
  /** Where to see what it happens to, below the partner. */
  path: string;
}

const mostShown = 10;

/** The first of it, in the order of time. */
export function turnsOf({ free_bets, campaigns, jobs }: Preview): Turn[] {
  const expiring = free_bets.next.map(({ expires_at, player_id, issue_id }) => ({
    at: expires_at,
    text: `a free bet of ${player_id} expires`,
    path: `free-bets/${issue_id}`,
  }));
  const turning = campaigns.next.map(({ at, name, what, campaign_id }) => ({
    at,
    text: `${name} ${what}`,
    path: `campaigns/${idInPath(campaign_id)}`,
  }));
  const lists = jobs.next.map(({ at, name, what, job_id }) => ({
    at,
    text: `the list ${name} ${what === 'begins' ? 'begins' : 'is removed'}`,
    path: `lists/${job_id}`,
  }));
  return [...expiring, ...turning, ...lists]
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .slice(0, mostShown);
}
