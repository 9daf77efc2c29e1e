import type { StaffResponseOf } from '@freebets/contract';
import { daysIn, midnight, timestamp } from '../../ui/dates.ts';

// The points of the activity chart: one for every hour or day, including those without activity.

type Series = StaffResponseOf<'ActivityGet'>['series'];

export interface Point {
  at: string;
  issued: number;
  bets: number;
  /** An amount as text. */
  won: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The longest period of a chart. */
const maxDays = 366;

/** The start of a period of days that ends today. */
const firstOf = (days: number, nowMs: number): number => midnight(new Date(nowMs), 1 - days).getTime();

const isLong = (nowMs: number, createdAt: string): boolean => Date.parse(createdAt) < firstOf(maxDays, nowMs);

/** The labels of the ranges. "All" is only offered if the chart can show the whole campaign. */
export const rangesOf = (nowMs: number, createdAt: string) => ({
  '1': '24 hours',
  '3': '3 days',
  '14': '2 weeks',
  all: isLong(nowMs, createdAt) ? `${maxDays} days` : 'All',
});
export type Range = keyof ReturnType<typeof rangesOf>;

export interface Window {
  by: 'hour' | 'day';
  from: string;
  until: string;
}

/** Whole hours or days of the viewer, so that the query key stays the same until the next one begins. */
export function windowOf(range: Range, nowMs: number, createdAt: string): Window {
  const untilMs = Math.ceil(nowMs / hourMs) * hourMs;
  if (range === '1' || range === '3') {
    const from = new Date(untilMs - Number(range) * dayMs).toISOString();
    return { by: 'hour', from, until: new Date(untilMs).toISOString() };
  }
  const firstMs = range === 'all' ? Math.max(Date.parse(createdAt), firstOf(maxDays, nowMs)) : firstOf(14, nowMs);
  const [from, until] = [midnight(new Date(firstMs)), midnight(new Date(nowMs), 1)];
  return { by: 'day', from: from.toISOString(), until: until.toISOString() };
}

function* hoursIn(from: string, until: string): Generator<string> {
  for (let ms = Date.parse(from); ms < Date.parse(until); ms += hourMs) yield timestamp(new Date(ms));
}

export function pointsOf(series: Series, { by, from, until }: Window): Point[] {
  const known = new Map(series.map((each) => [each.at, each]));
  return [...(by === 'hour' ? hoursIn : daysIn)(from, until)].map((at) => {
    const { issued = 0, bets = 0, won = '0.00' } = known.get(at) ?? {};
    return { at, issued, bets, won };
  });
}

const hour = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

export const pointName = (at: string): string =>
  at.includes('T') ? hour.format(new Date(at)) : day.format(new Date(`${at}T00:00`));
