// What the address says behind its question mark: filters, so that a link shows to a colleague what one sees oneself.

type Search = Record<string, unknown>;

/** Only these, and only where they are words; whatever else somebody writes into an address is left out. */
export const wordsIn =
  <Name extends string>(...names: Name[]) =>
  (search: Search): { [N in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
      }),
    ) as { [N in Name]?: string };

/** One of these words, or nothing. */
export const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value);

/** As one would write it by hand: `?partner=1&status=active`. */
export function plainSearch(search: Search): string {
  const words = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(words.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
