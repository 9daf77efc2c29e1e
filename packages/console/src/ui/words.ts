/** A word of the service as it begins a label: "In use" of "in_use". */
export function capital(word: string): string {
  const text = word.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** At most so long, as a form counts it, and never in the middle of a character: half of one is refused, and shown as none. */
export const cut = (text: string, most: number): string => text.slice(0, most).replace(/\p{Surrogate}$/u, '');

/** Several words that were put in as one, such as from a spreadsheet, are several; each is there one time. */
export const partsOf = (tags: string[]): string[] => [
  ...new Set(tags.flatMap((tag) => tag.split(/[\s,;]+/)).filter((part) => part !== '')),
];

interface Search {
  data: unknown;
  error: Error | null;
  isPlaceholderData: boolean;
}

/** What a field says that has nothing to offer: only an answer to what is typed now, and is asked for, tells that there is none. */
export function nothingFound(words: string, isAsked: boolean, ...searches: Search[]): string {
  if (!isAsked) return 'Searching…';
  if (searches.some(({ error }) => error)) return 'It could not be searched';
  return searches.every(({ data, isPlaceholderData }) => data && !isPlaceholderData) ? words : 'Searching…';
}
