import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request was made by a page of ours, and not by another site with our cookie. A browser says so in a header that
 * no page can write; an old one sends where the page comes from.
 */
export function isSameOrigin({ 'sec-fetch-site': site, origin }: IncomingHttpHeaders, publicUrl: string): boolean {
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined && origin === URL.parse(publicUrl)?.origin;
}

/**
 * Whether a person goes there, from wherever. A page of another site could otherwise call as an image, a frame or ahead of a click, as often
 * as it likes. An old browser does not say.
 */
export const isNavigation = ({
  'sec-fetch-dest': destination = 'document',
  'sec-purpose': purpose,
}: IncomingHttpHeaders) => destination === 'document' && purpose === undefined;
