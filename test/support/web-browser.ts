import { consolePath } from '@freebets/contract';
import { staffCall } from './staff.ts';

// A browser as far as signing in needs one: it keeps the cookies of each origin, and goes where it is sent.

export interface WebBrowser {
  /** One step: where it is sent, or null. With other headers a page of somebody else has it loaded. */
  go(
    url: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; to: string | null; body: string; headers: Headers }>;
  /** A page of ours calls an operation: its answer. */
  post(origin: string, path: string, body: object): ReturnType<typeof staffCall>;
  /** Goes on until a page is reached that the predicate knows; its address. */
  follow(url: string, isThere: (url: URL) => boolean): Promise<string>;
  /** Who is signed in at the console there. */
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

/** A page of the console, and not its operations. */
export const isPage =
  (origin: string) =>
  (url: URL): boolean =>
    url.origin === origin && !url.pathname.startsWith(consolePath);

export const isCallback = (url: URL): boolean => url.pathname === `${consolePath}/Session/Sso/Callback`;
