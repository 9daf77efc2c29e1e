// Days as the viewer has them: of their own time zone, which the server is told.

export const viewerZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** As the service takes it. */
export const timestamp = (date: Date): string => date.toISOString().replace('.000Z', 'Z');

/** The midnight with which the day begins, some days later or earlier. */
export const midnight = (date: Date, days = 0): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** With zeros in front, as fields for days and times have them. */
export const digits = (value: number, length = 2): string => String(value).padStart(length, '0');

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
