const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

// A length and never a word such as "tomorrow": that is a day of the calendar, and a day and a half from now may be the one after.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Whether a time has passed for certain (`past`), has not (`ahead`), or is on either side, such as the end of a campaign. */
export type Side = 'past' | 'ahead' | 'either';

/**
 * Such as "in 33 hours": below two of a unit, the next smaller unit is used. Clocks differ, so a past time can be later than `nowMs`, and a
 * future time earlier: `side` decides, never the clock of the viewer.
 */
export function relativeText(time: string, nowMs: number, side: Side = 'either'): string {
  const seconds = (Date.parse(time) - nowMs) / 1000;
  if (side === 'past' && seconds > 0) return 'just now';
  if (side === 'ahead' && seconds < 0) return 'in a moment';
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= 2 * length) ?? ['second', 1];
  if (unit === 'second' && Math.abs(seconds) < 10) return seconds > 0 ? 'in a moment' : 'just now';
  return relative.format(Math.round(seconds / length), unit);
}
