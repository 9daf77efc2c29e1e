// From the place on the slider to minutes ahead: fine near the present, coarse far from it.

const hour = 60;
const day = 24 * hour;

/** Equally far from each other on the slider. */
export const marks: { label: string; minutes: number }[] = [
  { label: 'now', minutes: 0 },
  { label: 'hour', minutes: hour },
  { label: 'day', minutes: day },
  { label: 'week', minutes: 7 * day },
  { label: 'month', minutes: 30 * day },
  { label: 'year', minutes: 365 * day },
];

/** Of the slider between two marks. */
export const stepsOfMark = 60;
export const lastPlace = (marks.length - 1) * stepsOfMark;

export function minutesAt(place: number): number {
  const mark = Math.min(Math.floor(place / stepsOfMark), marks.length - 2);
  const [from, to] = [marks[mark]?.minutes ?? 0, marks[mark + 1]?.minutes ?? 0];
  return Math.round(from + ((to - from) * (place - mark * stepsOfMark)) / stepsOfMark);
}

/** The nearest place at which it is not earlier. */
export function placeOf(minutes: number): number {
  const mark = marks.findLastIndex((each) => each.minutes <= minutes);
  const [from, to] = [marks[mark]?.minutes ?? 0, marks[mark + 1]?.minutes];
  if (to === undefined) return lastPlace;
  return mark * stepsOfMark + Math.ceil(((minutes - from) / (to - from)) * stepsOfMark);
}
