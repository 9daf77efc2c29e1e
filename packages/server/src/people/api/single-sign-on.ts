import { consolePath, type ErrorName } from '@freebets/contract';
import { Refused } from '../../audit/change.ts';
import type { Attribution } from '../../audit/entry.ts';
import type { Cookies } from '../../calls/call.ts';
import { cookieFor } from '../../calls/cookies.ts';
import {
  jsonPage,
  type PageRequest,
  type PageResponse,
  type Route,
  type Routes,
  redirectTo,
} from '../../calls/page.ts';
import { isDatabaseUnavailable } from '../../engine/faults.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { MasterKey } from '../../primitives/sealing.ts';
import type { OpenIdProvider } from '../openid.ts';
import { consoleAt, safeReturnPath } from '../return-path.ts';
import type { EndedSessions, SessionRules } from '../sessions.ts';
import { beginSso, finishSso, type SsoServices } from '../single-sign-on.ts';
import { randomToken, type TokenCheck } from '../tokens.ts';
import type { AnonymousCallers } from '../turns.ts';

// The two pages of single sign-on: one redirects the browser to the provider, and the browser comes back to the other.
// Invitations are sent in a body instead, because proxies and browsers log URLs. A cookie, valid as long as the sign-in
// may take, binds the sign-in to its browser. A failed sign-in redirects to the console, with an error code. Both pages
// accept only top-level navigation, and check that before they store anything.

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' };
const ways = `${consolePath}/Session/Ways`;
const sso = `${consolePath}/Session/Sso`;
const callback = `${sso}/Callback`;
const tenMinutesSec = 600;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

export interface SingleSignOnServices {
  publicUrl(): string;
  masterKey: MasterKey;
  sessionRules: SessionRules;
  tokens: TokenCheck;
  anonymous: AnonymousCallers;
  /** Undefined without single sign-on. */
  openId: OpenIdProvider | undefined;
  /** Whether every visitor may sign in as an admin of the demo. */
  isDemoServer(): Promise<boolean>;
  sessionsEnded: { emit(ended: EndedSessions): void };
  log: { warn(fields: object, message: string): void };
}

export const signOnRoutes = (services: SingleSignOnServices): Routes =>
  new Map<string, Route>([
    [
      ways,
      {
        headers,
        serve: async () => jsonPage({ sso: services.openId !== undefined, demo: await services.isDemoServer() }),
      },
    ],
    [sso, { name: 'SsoBegin', headers, serve: (request) => nextPage(services, request, begin) }],
    [callback, { name: 'SsoFinish', headers, serve: (request) => nextPage(services, request, finish) }],
  ]);

/** Returns the URL that the browser is redirected to. */
type Step = (services: SingleSignOnServices, request: PageRequest) => Promise<Outcome<string>>;

async function nextPage(services: SingleSignOnServices, request: PageRequest, step: Step): Promise<PageResponse> {
  const refusedTo = (error: ErrorName) => redirectTo(`${consoleAt(services.publicUrl())}?error=${error}`, 303);
  if (!isNavigation(request.headers)) throw new Refused('wrong_origin');
  try {
    const outcome = await step(services, request);
    return outcome.ok ? redirectTo(outcome.value, 303) : refusedTo(outcome.error);
  } catch (error) {
    const isBusy = error instanceof Refused && error.refusal.error === 'unavailable';
    if (isBusy || isDatabaseUnavailable(error)) return refusedTo('unavailable');
    throw error;
  }
}

/**
 * Whether this is a top-level navigation. Otherwise another site could request the page as an image, in a frame or by a
 * prefetch, without limit. Old browsers send neither header.
 */
const isNavigation = ({
  'sec-fetch-dest': destination = 'document',
  'sec-purpose': purpose,
}: PageRequest['headers']): boolean => destination === 'document' && purpose === undefined;

const begin: Step = (services, request) => {
  const [return_to, ...others] = new URLSearchParams(request.search).getAll('return_to');
  return beginSignOn(services, request, request.cookies, others.length === 0 ? { return_to } : {});
};

/** Returns the URL that the browser is redirected to. */
export async function beginSignOn(
  services: SingleSignOnServices,
  by: Pick<Attribution, 'address' | 'requestId'>,
  cookies: Cookies,
  { return_to, invitation }: { return_to?: unknown; invitation?: string },
): Promise<Outcome<string>> {
  const ssoServices = servicesOf(services, by.address);
  if (ssoServices === undefined) return { ok: false, error: 'sso_unavailable' };
  const { name, options } = browserCookie(services.publicUrl());
  // Reuses the token of another sign-in in progress in this browser, so that both can finish.
  const present = cookies.get(name) ?? '';
  const browserToken = tokenForm.test(present) ? present : randomToken();
  const returnTo = safeReturnPath(return_to, services.publicUrl());
  const outcome = await beginSso(ssoServices, { by: signingIn(by), browserToken, returnTo, invitation });
  if (outcome.ok) cookies.set(name, browserToken, { ...options, maxAge: tenMinutesSec });
  return outcome;
}

const finish: Step = async (services, request) => {
  const { cookies, headers, search } = request;
  const by = signingIn(request);
  const ssoServices = servicesOf(services, by.address);
  if (ssoServices === undefined) return { ok: false, error: 'sso_unavailable' };
  const session = cookieFor(services.publicUrl());
  const token = cookies.get(session.name);
  const outcome = await finishSso(
    ssoServices,
    { by, userAgent: headers['user-agent'], token },
    { query: new URLSearchParams(search), browserToken: cookies.get(browserCookie(services.publicUrl()).name) },
  );
  if (!outcome.ok) return outcome;
  services.sessionsEnded.emit({ staffId: outcome.value.person.staff_id, token });
  cookies.set(session.name, outcome.value.token, session.options);
  return { ok: true, value: outcome.value.returnTo };
};

function servicesOf(services: SingleSignOnServices, address: string | null): SsoServices | undefined {
  const { openId: provider, masterKey, sessionRules, tokens, publicUrl } = services;
  const pool = services.anonymous.connectionsFor(address);
  const onFault = (fault: Error) => services.log.warn({ fault: sentenceOf(fault) }, 'single sign-on failed');
  return provider && { provider, pool, masterKey, sessionRules, tokens, redirectUri: publicUrl() + callback, onFault };
}

/** Joins the messages of an error and its causes, without anything that the browser or the provider sent. */
function sentenceOf(fault: Error & { code?: string; error?: string }): string {
  const words = [fault.code, fault.message, fault.error].filter((word) => typeof word === 'string');
  return [...words, ...(fault.cause instanceof Error ? [sentenceOf(fault.cause)] : [])].join(': ');
}

function browserCookie(publicUrl: string) {
  const { name, options } = cookieFor(publicUrl);
  return { name: `${name}-sso`, options };
}

/** The caller is not known yet. */
const signingIn = ({ address, requestId }: Pick<Attribution, 'address' | 'requestId'>): Attribution => ({
  actor: { kind: 'unknown', email: '' },
  action: 'SignIn',
  address,
  requestId,
  reason: null,
});
