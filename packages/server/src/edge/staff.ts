import type { IncomingHttpHeaders } from 'node:http';
import { compileSchema, type FieldError, may, Reason, type Refusal, type StaffOperationName } from '@freebets/contract';
import type { Attribution } from '../audit/entry.ts';
import type { Cookies, StaffCall } from '../calls/call.ts';
import { cookieFor, readCookie, writeCookie } from '../calls/cookies.ts';
import type { Slice } from '../calls/fair-work.ts';
import type { SignedIn } from '../calls/signed-in.ts';
import { findStaff } from '../people/api/sessions.ts';
import { type Authenticator, addressOf, type Body, type Edge, type Exchange, type StaffAccess } from './exchange.ts';

// Staff members call with a session cookie instead of a signature. Origin, session, rate and role are checked before
// the body is read. The session is checked again with the body, and transactions of changes check it once more after
// they have taken their locks.

export const staffHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export const withSession: Authenticator = {
  async beforeBody(exchange) {
    const { name, operation } = exchange;
    return operation.staff && admit(exchange, name, operation.staff);
  },

  /** Checks the session again, because it may have ended while the body arrived. */
  async withBody(exchange) {
    const { name, operation } = exchange;
    return operation.staff && checkAccess(exchange, name, operation.staff, false);
  },
};

/** Pages without user activity send this header, so that their requests do not extend the session. */
const unattendedHeader = 'x-unattended';
/** The staff member for whom the page was loaded. Another one may have signed in from the same browser since. */
const signedInAsHeader = 'x-signed-in-as';

type Access = Pick<StaffAccess, 'least' | 'isPolled'>;

export async function admit(exchange: Exchange, name: string, access: Access): Promise<Refusal | undefined> {
  const { edge, request, headers } = exchange;
  if (!isSameOrigin(request.headers, edge.publicUrl())) return { error: 'wrong_origin' };
  const isUse = !access.isPolled && request.headers[unattendedHeader] === undefined;
  const refusal = await checkAccess(exchange, name, access, isUse);
  if (exchange.person === undefined) return refusal;
  const rate = await edge.staffLimiter?.(exchange.person.staff_id, performance.now());
  if (rate?.allowed !== false) return refusal;
  headers['retry-after'] = String(rate.retryAfterS);
  return { error: 'too_many_requests' };
}

async function checkAccess(
  exchange: Exchange,
  name: string,
  { least }: Access,
  isUse: boolean,
): Promise<Refusal | undefined> {
  if (least === 'anybody') return undefined;
  const { edge, request } = exchange;
  const found = await findStaff(edge, tokenOf(exchange) ?? '', isUse);
  if (!found.ok) return found;
  const person = found.value;
  exchange.person = person;
  exchange.key = `staff ${person.staff_id}`;
  if ((request.headers[signedInAsHeader] ?? person.staff_id) !== person.staff_id) return { error: 'another_signed_in' };
  if (person.must_set_up_second_factor && !ownAccount.includes(name)) return { error: 'second_factor_needed' };
  return may(person.role, least) ? undefined : { error: 'not_allowed' };
}

/** The operations that staff members may call before they have set up a second factor. */
const ownAccount: readonly string[] = [
  'SessionGet',
  'SignOut',
  'SecondFactorBegin',
  'SecondFactorConfirm',
] satisfies StaffOperationName[];

export const tokenOf = ({ edge, request }: Exchange): string | undefined =>
  readCookie(request.headers.cookie, cookieFor(edge.publicUrl()).name);

const validateReason = compileSchema(Reason);

/** Removes the reason from the body and returns its errors. Dry runs need no reason. */
export function takeReason(exchange: Exchange, { changes }: StaffAccess, body: Body): FieldError[] {
  const { reason, dry_run } = body;
  if (reason === undefined) return changes && dry_run !== true ? [{ field: 'reason', reason: 'is missing' }] : [];
  delete body.reason;
  if (typeof reason === 'string') exchange.reason = reason;
  return validateReason(reason).map((each) => ({ ...each, field: 'reason' }));
}

/** A partner out of scope is treated as if it did not exist. */
export function isInScope({ edge, person }: Exchange, { client_id: id }: Body): boolean {
  if (typeof id !== 'number') return true;
  const isOwn = person?.partners == null || person.partners.includes(id);
  return isOwn && edge.callerExists({ kind: 'client_id', id });
}

export function staffCallOf(exchange: Exchange, request: Body, slice: Slice): StaffCall<Edge> {
  const {
    edge: services,
    person,
    key: caller,
    request: { headers },
  } = exchange;
  const { name, options } = cookieFor(services.publicUrl());
  const cookies = cookiesOf(exchange);
  return {
    services,
    person,
    caller,
    slice,
    request,
    by: attributionOf(exchange),
    headers,
    token: tokenOf(exchange),
    setSession: (token) =>
      token === null ? cookies.set(name, '', { ...options, expires: new Date(0) }) : cookies.set(name, token, options),
    cookies,
  };
}

export const cookiesOf = ({ request, headers }: Exchange): Cookies => ({
  get: (name) => readCookie(request.headers.cookie, name),
  set(...cookie) {
    headers['set-cookie'] = [...(headers['set-cookie'] ?? []), writeCookie(...cookie)];
  },
});

function attributionOf(exchange: Exchange): Attribution {
  const { name: action, person, requestId, reason } = exchange;
  const { staff_id = '', email = '', role = 'viewer', sessionId }: Partial<SignedIn> = person ?? {};
  const actor = { kind: 'staff', staff_id, email, role } as const;
  return { actor, action, address: addressOf(exchange), requestId, reason, sessionId };
}

/**
 * Whether a page of this server made the request, not another site that uses its cookie. Browsers state this in a
 * header that pages can't set. Old browsers send only the origin of the page.
 */
function isSameOrigin({ 'sec-fetch-site': site, origin }: IncomingHttpHeaders, publicUrl: string): boolean {
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined && origin === URL.parse(publicUrl)?.origin;
}
