// Days in the viewer's time zone. Requests that count by day carry the zone.

export const viewerZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** The format of the service. */
export const timestamp = (date: Date): string => date.toISOString().replace('.000Z', 'Z');

/** The midnight at which the day begins, moved by a number of days. */
export const midnight = (date: Date, days = 0): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** With leading zeros, as date fields have them. */
const digits = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Such as "2027-01-31", in the viewer's zone. */
export const dayText = (date: Date): string =>
  `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;

/** Every day that begins in the period, correct for days of 23 or 25 hours. */
export function* daysIn(from: string, until: string): Generator<string> {
  for (let days = 0, day = new Date(from); day.getTime() < Date.parse(until); day = midnight(new Date(from), ++days)) {
    yield dayText(day);
  }
}

/**
 * Years outside this range are typos or still being typed. The range ends so that the service accepts the following
 * day.
 */
export const [firstYear, lastYear] = [1970, 9998];

/** Takes a day, or a day with a time. */
export const isPlausible = (text: string): boolean => {
  const [, year] = /^(\d{4})-/.exec(text) ?? [];
  return Number(year) >= firstYear && Number(year) <= lastYear;
};

/** The midnight at which the day begins; undefined if the text is not a plausible day. */
export function dayOf(text: string | undefined): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '') ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return day !== undefined && isPlausible(text ?? '') && dayText(date) === text ? date : undefined;
}

/** The format of a datetime field, in the viewer's zone. */
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

// Always a length, never a word such as "tomorrow": a day and a half from now can be the day after tomorrow.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Whether a time is certainly past, certainly ahead, or can be either, such as the end of a campaign. */
export type Side = 'past' | 'ahead' | 'either';

/**
 * Such as "in 33 hours": less than two of a unit is shown in the next smaller unit. Clocks differ, so a past time can
 * be later than `nowMs` and a future time earlier: `side` decides, not the viewer's clock.
 */
export function relativeText(time: string, nowMs: number, side: Side = 'either'): string {
  const seconds = (Date.parse(time) - nowMs) / 1000;
  if (side === 'past' && seconds > 0) return 'just now';
  if (side === 'ahead' && seconds < 0) return 'in a moment';
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= 2 * length) ?? ['second', 1];
  if (unit === 'second' && Math.abs(seconds) < 10) return seconds > 0 ? 'in a moment' : 'just now';
  return relative.format(Math.round(seconds / length), unit);
}
