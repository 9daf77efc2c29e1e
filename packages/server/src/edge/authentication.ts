import { createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { signatureHeader, signatureOf, timedPrefix, timeHeader } from '@freebets/contract';
import { type Networks, networksOf } from '../primitives/networks.ts';

// Refusals must not reveal their reason: a missing, malformed or wrong signature, an unknown or disabled caller, a
// wrong time and a wrong address all get the same response after the same time. So each refusal computes exactly two
// HMACs over the same bytes and checks the address once, for any caller. The signed bytes depend only on the request.

/** What a caller's requests are checked against. */
export interface Access {
  /** The newest first; empty if the caller's secret can't be decrypted. */
  keys: readonly KeyObject[];
  /** The signature must cover the time and the path. */
  isStrict: boolean;
  /** The networks from which the caller may call; undefined for any. */
  allowFrom: Networks | undefined;
}

export type Caller = { kind: 'client_id'; id: number } | { kind: 'provider_id'; id: string };

export interface Call {
  /** The path in the table of operations. It equals the path in the request, because paths are matched exactly. */
  path: string;
  body: Uint8Array;
  headers: IncomingHttpHeaders;
  /** This server's clock. */
  nowMs: number;
  /** Undefined if the address is unknown. */
  address(): string | undefined;
}

const decoyKey = createSecretKey(randomBytes(32));
const testNetwork = networksOf(['192.0.2.0/24']);
const noAccess: Access = { keys: [], isStrict: false, allowFrom: testNetwork };
const wellFormed = /^[0-9a-fA-F]{64}$/;
const noSignature = '0'.repeat(64);

export type Reason = 'wrong_signature' | 'time_missing' | 'time_malformed' | 'time_off' | 'address_not_allowed';

/** Undefined if the caller is authenticated and may call. The reason is only for the log. */
export function refusalReason(access: Access | undefined, call: Call): Reason | undefined {
  const header = call.headers[signatureHeader];
  const usable = typeof header === 'string' && wellFormed.test(header);
  const claimed = Buffer.from(usable ? header : noSignature, 'hex');
  const [newest = decoyKey, previous = decoyKey] = access?.keys ?? [];
  const isNewest = matches(newest, call, claimed) && newest !== decoyKey && usable;
  const ofNewest = isNewest ? accessViolation(access, call) : 'wrong_signature';
  if (ofNewest === undefined) return undefined;
  const isPrevious = matches(previous, call, claimed) && previous !== decoyKey && usable;
  if (isNewest) return ofNewest;
  const ofPrevious = accessViolation(isPrevious ? access : noAccess, call);
  return isPrevious ? ofPrevious : 'wrong_signature';
}

function matches(key: KeyObject, { body, path, headers }: Call, claimed: Buffer): boolean {
  const time = headers[timeHeader];
  const prefix = time === undefined ? '' : timedPrefix(String(time), path);
  return timingSafeEqual(signatureOf(body, key, prefix), claimed);
}

/**
 * Checks the time and the address. Callers without allowed networks have the address checked only if the time is wrong.
 */
function accessViolation(access: Access | undefined, call: Call): Reason | undefined {
  const wrong = timeViolation(access, call);
  if (access?.allowFrom === undefined && wrong === undefined) return undefined;
  const isAllowed = (access?.allowFrom ?? testNetwork).has(call.address() ?? '');
  return wrong ?? (isAllowed ? undefined : 'address_not_allowed');
}

const toleranceMs = 300_000;

function timeViolation(access: Access | undefined, { headers, nowMs }: Call): Reason | undefined {
  const time = headers[timeHeader];
  if (time === undefined) return access?.isStrict ? 'time_missing' : undefined;
  if (typeof time !== 'string' || !/^\d{1,15}$/.test(time)) return 'time_malformed';
  return Math.abs(nowMs - Number(time) * 1000) > toleranceMs ? 'time_off' : undefined;
}

/**
 * The reason in the log. Call it only after the response has been sent, so that it does not change the response time.
 */
export function logReason(reason: Reason, access: Access | undefined, header: unknown, exists: boolean): string {
  if (!exists) return 'unknown_caller';
  if (access === undefined) return 'disabled_caller';
  if (access.keys.length === 0) return 'secret_does_not_open';
  if (reason !== 'wrong_signature') return reason;
  if (header === undefined) return 'no_signature';
  return typeof header === 'string' && wellFormed.test(header) ? reason : 'malformed_signature';
}

/**
 * The address of the caller: the address of the connection or, behind trusted proxies, the rightmost untrusted address
 * in `X-Forwarded-For`. Each proxy appends its client on the right. Everything to the left of an untrusted address
 * could be forged. Undefined if a trusted proxy forwarded an entry that is not an address.
 */
export function callerAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trustedProxies: Networks | undefined,
): string | undefined {
  let nearest = socket.remoteAddress;
  if (nearest === undefined || !trustedProxies?.has(nearest)) return nearest;
  // Node joins several headers of this name with commas, in their order.
  for (const entry of forwardedFor(headers).reverse()) {
    if (isIP(entry) === 0) return undefined;
    nearest = entry;
    if (!trustedProxies.has(entry)) break;
  }
  return nearest;
}

function forwardedFor({ 'x-forwarded-for': header }: IncomingMessage['headers']): string[] {
  return header === undefined
    ? []
    : String(header)
        .split(',')
        .map((entry) => entry.trim());
}
