import type { AnswerOf } from '../../api/call.ts';

// What happened, as a chart needs it: one point for every hour or day, also for those in which nothing did.

type Series = AnswerOf<'ActivityGet'>['series'];

export interface Point {
  at: string;
  issued: number;
  bets: number;
  /** Only to draw with: the exact amount is `wonText`. */
  won: number;
  wonText: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The most that a chart shows. */
const maxDays = 366;

export const ranges = { '1': 'A day', '3': '3 days', '14': '2 weeks', all: 'All of it' };
export type Range = keyof typeof ranges;

export interface Window {
  by: 'hour' | 'day';
  from: string;
  until: string;
}

const beginningOfDay = (ms: number, daysLater = 0): Date => {
  const day = new Date(ms);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + daysLater);
};

/** Whole hours or days of the viewer, so that it stays the same until the next one begins. */
export function windowOf(range: Range, nowMs: number, createdAt: string): Window {
  const untilMs = Math.ceil(nowMs / hourMs) * hourMs;
  if (range === '1' || range === '3') {
    const from = new Date(untilMs - Number(range) * dayMs).toISOString();
    return { by: 'hour', from, until: new Date(untilMs).toISOString() };
  }
  const firstMs = range === 'all' ? Math.max(Date.parse(createdAt), nowMs - maxDays * dayMs) : nowMs - 13 * dayMs;
  return { by: 'day', from: beginningOfDay(firstMs).toISOString(), until: beginningOfDay(nowMs, 1).toISOString() };
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
const dayName = (day: Date): string =>
  `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;

function* timesIn({ by, from, until }: Window): Generator<string> {
  for (let ms = Date.parse(from), days = 1; ms < Date.parse(until); days++) {
    yield by === 'hour' ? new Date(ms).toISOString().replace('.000Z', 'Z') : dayName(new Date(ms));
    ms = by === 'hour' ? ms + hourMs : beginningOfDay(Date.parse(from), days).getTime();
  }
}

export function pointsOf(series: Series, window: Window): Point[] {
  const known = new Map(series.map((each) => [each.at, each]));
  return [...timesIn(window)].map((at) => {
    const { issued = 0, bets = 0, won = '0.00' } = known.get(at) ?? {};
    return { at, issued, bets, won: Number(won), wonText: won };
  });
}

const hour = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

export const pointName = (at: string): string =>
  at.includes('T') ? hour.format(new Date(at)) : day.format(new Date(`${at}T00:00`));
