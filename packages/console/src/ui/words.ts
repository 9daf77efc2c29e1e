/** Cuts text to a length in UTF-16 units, but never within a surrogate pair: the service refuses half a character. */
export const cut = (text: string, most: number): string => text.slice(0, most).replace(/\p{Surrogate}$/u, '');

/** Splits tags that were pasted together, such as from a spreadsheet, and removes duplicates. */
export const splitTags = (tags: string[]): string[] => [
  ...new Set(tags.flatMap((tag) => tag.split(/[\s,;]+/)).filter((part) => part !== '')),
];

interface Search {
  data: unknown;
  error: Error | null;
  isPlaceholderData: boolean;
}

/** The message of a search field without options. Only a response for the current text proves that nothing matches. */
export function nothingFound(words: string, isAsked: boolean, ...searches: Search[]): string {
  if (!isAsked) return 'Searching…';
  if (searches.some(({ error }) => error)) return 'Search failed';
  return searches.every(({ data, isPlaceholderData }) => data && !isPlaceholderData) ? words : 'Searching…';
}
