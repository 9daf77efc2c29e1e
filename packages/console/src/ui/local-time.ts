import { dayText, digits } from './zone.ts';

/** As a field for a time has it, in the viewer's zone. */
export function localText(time: string | number): string {
  const at = new Date(time);
  return `${dayText(at)}T${digits(at.getHours())}:${digits(at.getMinutes())}`;
}
