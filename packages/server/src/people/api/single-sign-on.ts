import { consolePath, type ErrorName } from '@freebets/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refused } from '../../audit/change.ts';
import type { Attribution } from '../../audit/entry.ts';
import type { Cookies } from '../../calls/call.ts';
import { callerAddress } from '../../edge/caller-address.ts';
import { cookieFor } from '../../edge/staff/cookie.ts';
import { consoleAt, ownPath } from '../../edge/staff/own-path.ts';
import { isNavigation } from '../../edge/staff/same-origin.ts';
import { isDatabaseUnavailable } from '../../engine/faults.ts';
import type { Networks } from '../../primitives/networks.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { MasterKey } from '../../primitives/sealing.ts';
import type { OpenIdProvider } from '../openid.ts';
import type { EndedSessions, SessionRules } from '../sessions.ts';
import { beginSso, finishSso, type SsoServices } from '../single-sign-on.ts';
import { randomToken, type TokenCheck } from '../tokens.ts';
import type { Strangers } from '../turns.ts';

// Where a browser goes to sign in at the provider, and comes back to. An invitation goes in a body: an address is written down by
// whatever it goes through. A sign-in is bound to the browser that began it by a cookie that
// lives as long as it may take. What fails ends at the console, with the word for it. A person goes to both: what another page loads is
// refused before anything is stored.

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' };
const ways = `${consolePath}/Session/Ways`;
const sso = `${consolePath}/Session/Sso`;
const callback = `${sso}/Callback`;
const tenMinutesSec = 600;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

export interface SingleSignOnServices {
  publicUrl(): string;
  trustedProxies: Networks | undefined;
  masterKey: MasterKey;
  sessionRules: SessionRules;
  tokens: TokenCheck;
  strangers: Strangers;
  /** Undefined without single sign-on. */
  openId: OpenIdProvider | undefined;
  /** Whether anybody can sign in as an admin of the demo. */
  isForTrying(): Promise<boolean>;
  sessionsEnded: { emit(ended: EndedSessions): void };
  log: { warn(fields: object, message: string): void };
}

export function addSingleSignOn(api: FastifyInstance, services: SingleSignOnServices): void {
  api.get(ways, async (_request, reply) =>
    reply.headers(headers).send({ sso: services.openId !== undefined, demo: await services.isForTrying() }),
  );
  addRoute(api, services, sso, begin);
  addRoute(api, services, callback, finish);
}

type Step = (services: SingleSignOnServices, request: FastifyRequest, reply: FastifyReply) => Promise<Outcome<string>>;

/** The answer is where the browser goes next. */
function addRoute(api: FastifyInstance, services: SingleSignOnServices, path: string, step: Step): void {
  const refusedTo = (error: ErrorName) => `${consoleAt(services.publicUrl())}?error=${error}`;
  api.get(path, async (request, reply) => {
    request.staff = { operation: path === sso ? 'SsoBegin' : 'SsoFinish', person: undefined };
    reply.headers(headers);
    if (!isNavigation(request.headers)) throw new Refused('wrong_origin');
    try {
      const outcome = await step(services, request, reply);
      return reply.redirect(outcome.ok ? outcome.value : refusedTo(outcome.error), 303);
    } catch (error) {
      const isBusy = error instanceof Refused && error.refusal.error === 'unavailable';
      if (isBusy || isDatabaseUnavailable(error)) return reply.redirect(refusedTo('unavailable'), 303);
      throw error;
    }
  });
}

const begin: Step = (services, request, reply) =>
  beginSignOn(
    services,
    attributionOf(services, request),
    {
      get: (name) => request.cookies[name],
      set: (...given) => void reply.setCookie(...given),
    },
    { return_to: (request.query as Record<string, unknown>).return_to },
  );

/** Where the browser goes. */
export async function beginSignOn(
  services: SingleSignOnServices,
  by: Pick<Attribution, 'address' | 'requestId'>,
  cookies: Cookies,
  { return_to, invitation }: { return_to?: unknown; invitation?: string },
): Promise<Outcome<string>> {
  const ssoServices = servicesOf(services, by.address);
  if (ssoServices === undefined) return { ok: false, error: 'sso_unavailable' };
  const { name, options } = browserCookie(services.publicUrl());
  // Of another sign-in under way in the same browser, so that both can end.
  const present = cookies.get(name) ?? '';
  const browserToken = tokenForm.test(present) ? present : randomToken();
  const returnTo = ownPath(return_to, services.publicUrl());
  const outcome = await beginSso(ssoServices, { by: signingIn(by), browserToken, returnTo, invitation });
  if (outcome.ok) cookies.set(name, browserToken, { ...options, maxAge: tenMinutesSec });
  return outcome;
}

const finish: Step = async (services, request, reply) => {
  const by = attributionOf(services, request);
  const ssoServices = servicesOf(services, by.address);
  if (ssoServices === undefined) return { ok: false, error: 'sso_unavailable' };
  const session = cookieFor(services.publicUrl());
  const outcome = await finishSso(
    ssoServices,
    {
      by,
      userAgent: request.headers['user-agent'],
      token: request.cookies[session.name],
    },
    {
      query: new URL(request.url, 'http://localhost').searchParams,
      browserToken: request.cookies[browserCookie(services.publicUrl()).name],
    },
  );
  if (!outcome.ok) return outcome;
  services.sessionsEnded.emit({ staffId: outcome.value.person.staff_id, token: request.cookies[session.name] });
  reply.setCookie(session.name, outcome.value.token, session.options);
  return { ok: true, value: outcome.value.returnTo };
};

function servicesOf(services: SingleSignOnServices, address: string | null): SsoServices | undefined {
  const { openId: provider, masterKey, sessionRules, tokens, publicUrl } = services;
  const pool = services.strangers.connectionsFor(address);
  const onFault = (fault: Error) => services.log.warn({ fault: sentenceOf(fault) }, 'single sign-on failed');
  return provider && { provider, pool, masterKey, sessionRules, tokens, redirectUri: publicUrl() + callback, onFault };
}

/** Its words and those of its causes, and nothing of what was sent. */
function sentenceOf(fault: Error & { code?: string; error?: string }): string {
  const words = [fault.code, fault.message, fault.error].filter((word) => typeof word === 'string');
  return [...words, ...(fault.cause instanceof Error ? [sentenceOf(fault.cause)] : [])].join(': ');
}

function browserCookie(publicUrl: string) {
  const { name, options } = cookieFor(publicUrl);
  return { name: `${name}-sso`, options };
}

const attributionOf = ({ trustedProxies }: SingleSignOnServices, request: FastifyRequest): Attribution =>
  signingIn({
    address: callerAddress(request.raw, trustedProxies) ?? null,
    requestId: request.id,
  });

/** Nobody yet. */
const signingIn = ({ address, requestId }: Pick<Attribution, 'address' | 'requestId'>): Attribution => ({
  actor: { kind: 'unknown', email: '' },
  action: 'SignIn',
  address,
  requestId,
  reason: null,
});
