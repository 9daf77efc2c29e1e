import { consolePath } from '@freebets/contract';
import { staffCall } from './staff.ts';

// A minimal browser for signing in: it stores the cookies of each origin and follows redirects.

export interface WebBrowser {
  /** One request; returns the redirect target or null. Other headers simulate a request from another site. */
  go(
    url: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; to: string | null; body: string; headers: Headers }>;
  /** Calls an operation like a page of the console; returns the response. */
  post(origin: string, path: string, body: object): ReturnType<typeof staffCall>;
  /** Follows redirects until the predicate accepts the page; returns its address. */
  follow(url: string, isThere: (url: URL) => boolean): Promise<string>;
  /** The signed-in user of the console. */
  person(origin: string): ReturnType<typeof staffCall>;
  cookiesOf(origin: string): Map<string, string>;
}

const mostSteps = 20;

export function openBrowser(): WebBrowser {
  const jars = new Map<string, Map<string, string>>();
  const cookiesOf = (origin: string): Map<string, string> => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  const cookieOf = (origin: string) => [...cookiesOf(origin)].map(([name, value]) => `${name}=${value}`).join('; ');
  const keep = (origin: string, headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookiesOf(origin).delete(name);
      else cookiesOf(origin).set(name, value);
    }
  };
  const go: WebBrowser['go'] = async (url, headers = { 'sec-fetch-dest': 'document' }) => {
    const { origin } = new URL(url);
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie: cookieOf(origin), ...headers } });
    keep(origin, answer.headers);
    const location = answer.headers.get('location');
    const to = location === null ? null : new URL(location, url).href;
    return { status: answer.status, to, body: await answer.text(), headers: answer.headers };
  };
  const follow: WebBrowser['follow'] = async (url, isThere) => {
    let next = url;
    for (let step = 0; step < mostSteps; step++) {
      if (isThere(new URL(next))) return next;
      const { to, status, body } = await go(next);
      if (to === null) throw new Error(`${next} leads nowhere: ${status} ${body.slice(0, 300)}`);
      next = to;
    }
    throw new Error(`too many steps from ${url}`);
  };
  const post: WebBrowser['post'] = async (origin, path, body) => {
    const answer = await staffCall(origin, path, body, { cookie: cookieOf(origin) });
    keep(origin, answer.headers);
    return answer;
  };
  const person = (origin: string) => post(origin, '/Session/Get', {});
  return { go, post, follow, person, cookiesOf };
}

/** A page of the console, not an operation. */
export const isPage =
  (origin: string) =>
  (url: URL): boolean =>
    url.origin === origin && !url.pathname.startsWith(consolePath);

export const isCallback = (url: URL): boolean => url.pathname === `${consolePath}/Session/Sso/Callback`;
