import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request was made by a page of ours, and not by another site with our cookie. A browser says so in a header that
 * no page can write; an old one sends where the page comes from.
 */
export function isSameOrigin({ 'sec-fetch-site': site, origin }: IncomingHttpHeaders, publicUrl: string): boolean {
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined && origin === URL.parse(publicUrl)?.origin;
}
