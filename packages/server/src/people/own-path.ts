import { consolePath } from '@freebets/contract';

/** The path of what is served, below the one by which others reach the server. */
const below = (publicUrl: string, path: string): string =>
  (URL.parse(publicUrl)?.pathname.replace(/\/+$/, '') ?? '') + path;

export const consoleAt = (publicUrl: string): string => below(publicUrl, '/console');

/** One slash, and then only what is seen: no second slash or backslash that a browser would take for another host. */
const form = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]{0,1000}$/;

/** Where to go after signing in: a page of ours, or the console where it is none. */
export function ownPath(wanted: unknown, publicUrl: string): string {
  const start = consoleAt(publicUrl);
  if (typeof wanted !== 'string' || !form.test(wanted)) return start;
  const url = URL.parse(wanted, publicUrl);
  if (url === null || url.origin !== URL.parse(publicUrl)?.origin) return start;
  // Dots within it are resolved by now, and may have left two slashes in front: another host.
  const { pathname, search, hash } = url;
  return pathname.startsWith('//') || pathname.startsWith(below(publicUrl, consolePath))
    ? start
    : pathname + search + hash;
}
