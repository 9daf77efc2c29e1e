// Days as the viewer has them: of their own time zone, which the server is told.

export const viewerZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** As the service takes it. */
export const timestamp = (date: Date): string => date.toISOString().replace('.000Z', 'Z');

/** The midnight with which the day begins, some days later or earlier. */
export const midnight = (date: Date, days = 0): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** With zeros in front, as fields for days and times have them. */
const digits = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Such as "2027-01-31", in the viewer's zone. */
export const dayText = (date: Date): string =>
  `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;

/** Every day that begins in this time, also where one has 23 or 25 hours. */
export function* daysIn(from: string, until: string): Generator<string> {
  for (let days = 0, day = new Date(from); day.getTime() < Date.parse(until); day = midnight(new Date(from), ++days)) {
    yield dayText(day);
  }
}

/** Other years are one that is being typed, or a slip; and behind the last there is a day that the service takes. */
export const [firstYear, lastYear] = [1970, 9998];

/** Of a day, or a time of one. */
export const isPlausible = (text: string): boolean => {
  const [, year] = /^(\d{4})-/.exec(text) ?? [];
  return Number(year) >= firstYear && Number(year) <= lastYear;
};

/** The midnight with which such a day begins; undefined where it is none, or not plausible. */
export function dayOf(text: string | undefined): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '') ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return day !== undefined && isPlausible(text ?? '') && dayText(date) === text ? date : undefined;
}

/** As a field for a time has it, in the viewer's zone. */
export function localText(time: string | number): string {
  const at = new Date(time);
  return `${dayText(at)}T${digits(at.getHours())}:${digits(at.getMinutes())}`;
}

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
