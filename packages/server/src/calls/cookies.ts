import type { CookieOptions } from './call.ts';

// The server sets two cookies, whose values are base64url, so nothing in them is escaped.

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The cookie of the session. Browsers accept the `__Host-` prefix only over TLS and from this very host. On loopback
 * there is no TLS, and a browser would drop it.
 */
export function cookieFor(publicUrl: string): { name: string; options: CookieOptions } {
  const url = URL.parse(publicUrl);
  const isPlain = url?.protocol === 'http:' && loopback.test(url.hostname);
  return {
    name: isPlain ? 'freebets' : '__Host-freebets',
    options: { path: '/', httpOnly: true, secure: !isPlain, sameSite: 'lax' },
  };
}

/** The first cookie of this name in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const found = header?.split(';').find((part) => part.slice(0, part.indexOf('=')).trim() === name);
  return found?.slice(found.indexOf('=') + 1).trim();
}

/** A `Set-Cookie` header. */
export function writeCookie(name: string, value: string, { path, secure, expires, maxAge }: CookieOptions): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  const end = expires === undefined ? '' : `; Expires=${expires.toUTCString()}`;
  return `${name}=${value}${age}; Path=${path}${end}; HttpOnly${secure ? '; Secure' : ''}; SameSite=Lax`;
}
