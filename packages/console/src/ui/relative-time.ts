const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

// A length and never a word such as "tomorrow": that is a day of the calendar, and a day and a half from now may be the one after.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Such as "in 33 hours": below two of a unit one would be too coarse. */
export function relativeText(time: string, nowMs: number): string {
  const seconds = (Date.parse(time) - nowMs) / 1000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= 2 * length) ?? ['second', 1];
  if (unit === 'second' && Math.abs(seconds) < 10) return 'just now';
  return relative.format(Math.round(seconds / length), unit);
}
