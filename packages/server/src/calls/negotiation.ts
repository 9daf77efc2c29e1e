/** Whether the caller already has the representation with this tag. */
export function namesTag(header: string | undefined, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  if (header === etag) return true;
  return header?.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag)) ?? false;
}

type Header = string | string[] | undefined;

/** By name or by `*`, unless its weight is zero. */
export const acceptsGzip = (header: Header): boolean => accepts(header, ['gzip', 'x-gzip', '*']);

export const acceptsBrotli = (header: Header): boolean => accepts(header, ['br']);

/** Decided by the first of these names in the header. */
function accepts(header: Header, names: string[]): boolean {
  if (header === undefined) return false;
  // A header with one coding is common, and needs no Map, which takes 2 µs.
  if (typeof header === 'string' && names.includes(header)) return true;
  const codings = new Map<string, string>();
  for (const coding of header.toString().toLowerCase().split(',')) {
    const [name = '', weight = ''] = coding.split(';').map((part) => part.trim());
    codings.set(name, weight);
  }
  const isWanted = (weight = '') => !/^q=0(\.0*)?$/.test(weight);
  const named = names.find((name) => codings.has(name));
  return named !== undefined && isWanted(codings.get(named));
}
