import type { CookieOptions } from '../../calls/call.ts';

// The cookie that holds the session. With the prefix, browsers take it only from this very host and over TLS. On loopback there
// is no TLS, and a browser would not keep it.

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export function cookieFor(publicUrl: string): { name: string; options: CookieOptions } {
  const url = URL.parse(publicUrl);
  const isPlain = url?.protocol === 'http:' && loopback.test(url.hostname);
  return {
    name: isPlain ? 'freebets' : '__Host-freebets',
    options: { path: '/', httpOnly: true, secure: !isPlain, sameSite: 'lax' },
  };
}
