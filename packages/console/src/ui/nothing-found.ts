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
