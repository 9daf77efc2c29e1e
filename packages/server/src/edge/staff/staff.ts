import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import fastifyCookie from '@fastify/cookie';
import {
  consolePath,
  type ErrorName,
  errorBody,
  errors,
  type FieldError,
  live,
  maxDetails,
  may,
  type Refusal,
} from '@freebets/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refused } from '../../audit/change.ts';
import type { Attribution } from '../../audit/entry.ts';
import { type Cookies, Download, Rendered, type StaffCall } from '../../calls/call.ts';
import { undivided } from '../../calls/fair-work.ts';
import { NotReadOn } from '../../calls/read-in-time.ts';
import type { SignedIn } from '../../calls/signed-in.ts';
import { isDatabaseUnavailable } from '../../engine/faults.ts';
import { openLive } from '../../events/live/api.ts';
import { addSingleSignOn } from '../../people/api/single-sign-on.ts';
import { requestingConfirmation } from '../../people/confirmations/api.ts';
import { findSignedIn } from '../../people/sessions.ts';
import { type Outcome, refuse } from '../../primitives/outcome.ts';
import type { RateLimiter } from '../../primitives/rate-limit.ts';
import { type BodiesUnderWay, gatherBody } from '../bodies.ts';
import { callerAddress } from '../caller-address.ts';
import { carryOut, carryOutForStaff } from '../handlers.ts';
import { scanObject } from '../scan.ts';
import { discardBody, type Sending, sendAsMade, sendBeforeEnd, sendBody } from '../sending.ts';
import type { AllServices } from '../services.ts';
import { cookieFor } from './cookie.ts';
import { type Offered, offered, validateReason } from './operations.ts';
import { isSameOrigin } from './same-origin.ts';

// The operations that staff call, with the cookie of a session instead of a signature. Same origin · session · rate · role, before
// the body is read · schema and reason · session and role once more · scope, and whatever is changed asks for the session again behind all locks. An operation of a partner is then carried out by the
// very handler that serves the partner, and what it changes is recorded with who did it.

declare module 'fastify' {
  interface FastifyRequest {
    /** Which operation it is, and who of the staff calls it. */
    staff: { operation: string; person: SignedIn | undefined; refusedWith?: ErrorName } | undefined;
  }
}

type Body = Record<string, unknown>;

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
/** With it a page says that nobody is at it: it keeps no session alive. */
const unattendedHeader = 'x-unattended';
/** With it a page says whom it takes to be signed in: nothing is done as somebody else who has signed in in the same browser since. */
const signedInAsHeader = 'x-signed-in-as';
/** For those who have not signed in. */
const maxBodyOfAnybody = 16 * 1024;
/** Requests a second of one person, in all of their browsers: many more than a page needs. */
const rateOfOne = { limit: 50, burst: 100 };

interface Bounded extends AllServices {
  sending: Sending;
  bodies: BodiesUnderWay;
}

interface ConsoleEdge extends Bounded {
  limiter: RateLimiter | undefined;
}

/** None where callers have none. */
const limiterOf = ({ rate, openLimiter }: AllServices): RateLimiter | undefined =>
  rate.limit === 0 ? undefined : openLimiter(rateOfOne.limit, rateOfOne.burst);

export function addConsole(app: FastifyInstance, given: Bounded): void {
  const services: ConsoleEdge = { ...given, limiter: limiterOf(given) };
  app.register(async (api) => {
    await api.register(fastifyCookie);
    api.decorateRequest('staff', undefined);
    api.removeAllContentTypeParsers();
    api.addContentTypeParser('application/json', (request, _stream, done) => gather(services, request, done));
    api.setErrorHandler((error: Error & { code?: string }, request, reply) =>
      refuseCaller(services, request, reply, refusalOf(services, error, request.id)),
    );
    for (const operation of offered) addOperation(api, services, operation);
    addSingleSignOn(api, services);
    addLive(api, services);
  });
}

function addLive(api: FastifyInstance, services: ConsoleEdge): void {
  const serveLive = openLive(api, services);
  api.route<{ Querystring: { client_id?: string } }>({
    method: 'GET',
    url: consolePath + live.path,
    exposeHeadRoute: false,
    onRequest: admission(services, { name: 'Live', least: live.staff, isPolled: true }),
    async handler(request, reply) {
      const person = request.staff?.person;
      assert(person, 'somebody is signed in');
      const { client_id: clientId } = request.query;
      const refusal = await serveLive(request, reply, { person, token: tokenOf(services, request) ?? '', clientId });
      return refusal && !refusal.ok ? sendRefusal(services, request, reply, refusal) : reply;
    },
  });
}

function addOperation(api: FastifyInstance, services: ConsoleEdge, operation: Offered): void {
  const { path, least, maxBody } = operation;
  api.route({
    method: 'POST',
    url: consolePath + path,
    bodyLimit: least === 'anybody' ? maxBodyOfAnybody : maxBody,
    onRequest: admission(services, operation),
    handler: (request, reply) => serve(services, operation, request, reply),
  });
}

interface Guarded extends Pick<Offered, 'least' | 'isPolled'> {
  name: string;
}

/** Whoever may not call is answered at once. */
function admission(services: ConsoleEdge, operation: Guarded) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    reply.headers(headers);
    request.staff = { operation: operation.name, person: undefined };
    const refusal = await whoCalls(services, operation, request, reply);
    return refusal && refuseCaller(services, request, reply, refusal);
  };
}

/** Before the body is read. What it answers is why not. */
async function whoCalls(
  services: ConsoleEdge,
  operation: Guarded,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Refusal | undefined> {
  if (services.isDraining()) return { error: 'unavailable' };
  if (!isSameOrigin(request.headers, services.publicUrl())) return { error: 'wrong_origin' };
  const isUse = !operation.isPolled && request.headers[unattendedHeader] === undefined;
  const refusal = await whoMay(services, operation, request, isUse);
  const person = request.staff?.person;
  if (person === undefined) return refusal;
  const rate = await services.limiter?.(person.staff_id, performance.now());
  if (rate?.allowed === false) {
    reply.header('retry-after', rate.retryAfterS);
    return { error: 'too_many_requests' };
  }
  return refusal;
}

/** Finds out who it is, as things stand now. */
async function whoMay(
  services: ConsoleEdge,
  { least, name }: Guarded,
  request: FastifyRequest,
  isUse: boolean,
): Promise<Refusal | undefined> {
  if (least === 'anybody') return undefined;
  const token = tokenOf(services, request) ?? '';
  if (!services.tokens.isOurs('session', token)) return { error: 'not_signed_in' };
  const find = async () => ({ found: await findSignedIn(services.consolePool, token, services.sessionRules, isUse) });
  const looked = await services.sessionTurns.take(token, find);
  if (looked === undefined) return { error: 'unavailable' };
  const person = looked.found;
  if (person === undefined) return { error: 'not_signed_in' };
  request.staff = { operation: name, person };
  if ((request.headers[signedInAsHeader] ?? person.staff_id) !== person.staff_id) return { error: 'another_signed_in' };
  if (person.must_set_up_second_factor && !isOwnAccount(name)) return { error: 'second_factor_needed' };
  return may(person.role, least) ? undefined : { error: 'not_allowed' };
}

/** What can be done before a second factor is set up. */
const ownAccount: readonly string[] = ['SessionGet', 'SignOut', 'SecondFactorBegin', 'SecondFactorConfirm'];
const isOwnAccount = (name: string): boolean => ownAccount.includes(name);

const tokenOf = ({ publicUrl }: AllServices, { cookies }: FastifyRequest): string | undefined =>
  cookies[cookieFor(publicUrl()).name];

async function serve(
  services: ConsoleEdge,
  operation: Offered,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const examined = examine(operation, request.body as Buffer | undefined);
  if (!examined.ok) return refuseCaller(services, request, reply, examined);
  const { body, reason } = examined.value;
  // A body may take its time: who was shut out meanwhile is refused all the same.
  const refusal = await whoMay(services, operation, request, false);
  if (refusal !== undefined) return refuseCaller(services, request, reply, refusal);
  const person = request.staff?.person;
  const { client_id: clientId } = body;
  if (typeof clientId === 'number' && !isInScope(services, person, clientId)) {
    return sendRefusal(services, request, reply, { error: 'partner_not_found' });
  }
  const call = callOf(services, operation, request, reply, { body, reason });
  const answer = await answerOf(operation, call, body);
  if (answer instanceof Download) return sendDownload(services, reply, operation, answer);
  if (answer instanceof Rendered) {
    return send(services, reply.code(answer.status).headers(answer.headers), answer.bytes);
  }
  if (!answer.ok) return refuseCaller(services, request, reply, answer);
  return send(services, reply, JSON.stringify(answer.value));
}

/** As those of partners; what is refused of it ends the connection. */
function gather({ bodies }: ConsoleEdge, request: FastifyRequest, done: (error: Error | null, body?: Buffer) => void) {
  const { bodyLimit } = request.routeOptions;
  if (Number(request.headers['content-length']) > bodyLimit) return done(new Refused('body_too_large'));
  gatherBody(
    request.raw,
    bodies,
    (body) => (Buffer.isBuffer(body) ? done(null, body) : done(new Refused(body.error, body.details))),
    bodyLimit,
  );
}

/** JSON · schema · the reason. */
function examine(operation: Offered, bytes: Buffer | undefined): Outcome<{ body: Body; reason: string | null }> {
  if (bytes === undefined) return refuse('not_json');
  const scan = scanObject(bytes, 'client_id');
  if (!scan.ok) return refuse('invalid_request', [scan.error]);
  const { reason, ...body }: Body = JSON.parse(bytes.toString());
  const details = [...operation.validate(body), ...wrongReason(operation, reason, body)].slice(0, maxDetails);
  if (details.length > 0) return refuse('invalid_request', details);
  return { ok: true, value: { body, reason: typeof reason === 'string' ? reason : null } };
}

/** A dry run changes nothing. */
function wrongReason({ changes }: Offered, reason: unknown, { dry_run }: Body): FieldError[] {
  if (reason === undefined) return changes && dry_run !== true ? [{ field: 'reason', reason: 'is missing' }] : [];
  return validateReason(reason).map((each) => ({ ...each, field: 'reason' }));
}

/** What is out of scope is as if it did not exist. */
const isInScope = ({ callerExists }: AllServices, person: SignedIn | undefined, clientId: number): boolean =>
  (person?.partners == null || person.partners.includes(clientId)) && callerExists({ kind: 'client_id', id: clientId });

function callOf(
  services: AllServices,
  { name }: Offered,
  request: FastifyRequest,
  reply: FastifyReply,
  { body, reason }: { body: Body; reason: string | null },
): StaffCall<AllServices> {
  const { name: cookie, options } = cookieFor(services.publicUrl());
  const cookies: Cookies = {
    get: (wanted) => request.cookies[wanted],
    set: (...given) => void reply.header('set-cookie', reply.server.serializeCookie(...given)),
  };
  return {
    services,
    person: request.staff?.person,
    caller: `staff ${request.staff?.person?.staff_id}`,
    slice: undivided,
    request: body,
    by: attributionOf(services, name, request, reason),
    headers: request.headers,
    token: tokenOf(services, request),
    setSession: (token) =>
      token === null
        ? cookies.set(cookie, '', { ...options, expires: new Date(0) })
        : cookies.set(cookie, token, options),
    cookies,
  };
}

function attributionOf(
  { trustedProxies }: AllServices,
  action: string,
  request: FastifyRequest,
  reason: string | null,
): Attribution {
  const { staff_id = '', email = '', role = 'viewer', sessionId } = request.staff?.person ?? {};
  return {
    actor: { kind: 'staff', staff_id, email, role },
    action,
    address: callerAddress(request.raw, trustedProxies) ?? null,
    requestId: request.id,
    reason,
    sessionId,
  };
}

function answerOf(
  operation: Offered,
  call: StaffCall<AllServices>,
  body: Body,
): Promise<Outcome | Rendered | Download> {
  if (operation.kind === 'partner') return carryOut(operation.name, call, body);
  return requestingConfirmation(call, carryOutForStaff(operation.name, call, body));
}

async function sendDownload(
  { sending, onFault }: ConsoleEdge,
  reply: FastifyReply,
  operation: Offered,
  { name, pieces }: Download,
): Promise<FastifyReply> {
  const begin = () => {
    if (operation.kind === 'staff') reply.type(operation.contentType);
    reply.header('content-disposition', `attachment; filename="${name}"`).hijack();
    reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  };
  try {
    await sendAsMade(sending, reply.raw, pieces, begin);
  } catch (error) {
    // Before anything is sent it can be refused.
    if (!reply.sent) throw error;
    if (!(error instanceof NotReadOn)) onFault(error, reply.request.id);
    reply.raw.destroy();
  }
  return reply.sent ? reply : reply.hijack();
}

/** A caller who is not signed in may have to wait for a refusal. */
async function refuseCaller(
  services: ConsoleEdge,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): Promise<FastifyReply> {
  if (request.staff?.person === undefined) {
    await services.strangers.pace(callerAddress(request.raw, services.trustedProxies) ?? null);
  }
  return sendRefusal(services, request, reply, refusal);
}

function sendRefusal(
  services: ConsoleEdge,
  request: FastifyRequest,
  reply: FastifyReply,
  { error, details }: Refusal,
): FastifyReply {
  const { status } = errors[error];
  if (status === 503) reply.header('retry-after', 1);
  if (request.staff !== undefined) request.staff.refusedWith = error;
  const body = errorBody(details === undefined ? { error } : { error, details }, request.id);
  return send(services, reply.code(status), JSON.stringify(body));
}

/** JSON, which those who do not read it are dropped for, as partners are. Bytes are shared by all callers. */
function send({ sending }: ConsoleEdge, reply: FastifyReply, body: string | Buffer): FastifyReply {
  const { raw: request } = reply.request;
  const { raw: response } = reply.hijack();
  if (reply.statusCode !== 304) {
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) });
  }
  response.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  if (reply.getHeader('connection') === 'close') {
    sendBeforeEnd(request, response, body);
    return reply;
  }
  if (!request.readableEnded) discardBody(request, response);
  sendBody(sending, response, { body, isShared: Buffer.isBuffer(body), whenGone: () => {} });
  return reply;
}

function refusalOf({ onFault }: AllServices, error: Error & { code?: string }, requestId: string): Refusal {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return { error: 'not_json' };
  if (error.code?.startsWith('FST_ERR_CTP_')) return { error: 'invalid_request' };
  if (error instanceof Refused) return error.refusal;
  onFault(error, requestId);
  return { error: isDatabaseUnavailable(error) ? 'unavailable' : 'internal_error' };
}
