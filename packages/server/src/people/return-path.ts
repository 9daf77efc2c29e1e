import { consolePath } from '@freebets/contract';

/** Adds the path prefix of the public URL. */
const below = (publicUrl: string, path: string): string =>
  (URL.parse(publicUrl)?.pathname.replace(/\/+$/, '') ?? '') + path;

export const consoleAt = (publicUrl: string): string => below(publicUrl, '/console');

/** One slash, and then printable characters. Browsers would read a second slash or a backslash as another host. */
const form = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]{0,1000}$/;

/** The page to open after sign-in: a path of this service, or else the console. */
export function safeReturnPath(wanted: unknown, publicUrl: string): string {
  const start = consoleAt(publicUrl);
  if (typeof wanted !== 'string' || !form.test(wanted)) return start;
  const url = URL.parse(wanted, publicUrl);
  if (url === null || url.origin !== URL.parse(publicUrl)?.origin) return start;
  // Resolving dots may have left two slashes at the start, which mean another host.
  const { pathname, search, hash } = url;
  return pathname.startsWith('//') || pathname.startsWith(below(publicUrl, consolePath))
    ? start
    : pathname + search + hash;
}
