const two = (value: number): string => String(value).padStart(2, '0');

/** As a field for a time has it, in the viewer's zone: a year has four digits at least. */
export function localText(time: string | number): string {
  const at = new Date(time);
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
