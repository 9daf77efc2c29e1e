import { createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { signatureHeader, signatureOf, timedPrefix, timeHeader } from '@freebets/contract';
import { type Networks, networksOf } from '../primitives/networks.ts';

// Missing, malformed and wrong signatures, unknown and disabled callers, a time that is off, an address from which a caller
// does not call: all the same to the one who is refused, in what they are told and in how long it takes. So a refusal has
// always cost exactly two HMACs over the same bytes, and a check of the address, whoever was asked for. What is signed depends on
// the request alone.

/** What a request of a caller must have. */
export interface Access {
  /** The newest first; empty if its secret does not open. */
  keys: readonly KeyObject[];
  /** The signature must cover the time and the path. */
  isStrict: boolean;
  /** The networks from which it may call; undefined for any. */
  allowFrom: Networks | undefined;
}

export type Caller = { kind: 'client_id'; id: number } | { kind: 'provider_id'; id: string };

export interface Call {
  /** As the table of operations has it, which is as it was sent: no other way of writing it leads there. */
  path: string;
  body: Uint8Array;
  headers: IncomingHttpHeaders;
  /** By this server's own clock. */
  nowMs: number;
  /** Undefined when nobody can tell. */
  address(): string | undefined;
}

const nobody = createSecretKey(randomBytes(32));
const nowhere = networksOf(['192.0.2.0/24']);
const stranger: Access = { keys: [], isStrict: false, allowFrom: nowhere };
const wellFormed = /^[0-9a-fA-F]{64}$/;
const noSignature = '0'.repeat(64);

export type Reason = 'wrong_signature' | 'time_missing' | 'time_malformed' | 'time_off' | 'address_not_allowed';

/** Undefined when it is who it says it is, and may call. The reason is for the log alone. */
export function whyRefused(access: Access | undefined, call: Call): Reason | undefined {
  const header = call.headers[signatureHeader];
  const usable = typeof header === 'string' && wellFormed.test(header);
  const claimed = Buffer.from(usable ? header : noSignature, 'hex');
  const [newest = nobody, previous = nobody] = access?.keys ?? [];
  const isNewest = matches(newest, call, claimed) && newest !== nobody && usable;
  const ofNewest = isNewest ? whatBars(access, call) : 'wrong_signature';
  if (ofNewest === undefined) return undefined;
  const isPrevious = matches(previous, call, claimed) && previous !== nobody && usable;
  if (isNewest) return ofNewest;
  const ofPrevious = whatBars(isPrevious ? access : stranger, call);
  return isPrevious ? ofPrevious : 'wrong_signature';
}

function matches(key: KeyObject, { body, path, headers }: Call, claimed: Buffer): boolean {
  const time = headers[timeHeader];
  const prefix = time === undefined ? '' : timedPrefix(String(time), path);
  return timingSafeEqual(signatureOf(body, key, prefix), claimed);
}

/** What a right signature does not make good. Where nothing is asked of the address, it is looked at only to refuse. */
function whatBars(access: Access | undefined, call: Call): Reason | undefined {
  const wrong = whatIsWrongWithTime(access, call);
  if (access?.allowFrom === undefined && wrong === undefined) return undefined;
  const isAllowed = (access?.allowFrom ?? nowhere).has(call.address() ?? '');
  return wrong ?? (isAllowed ? undefined : 'address_not_allowed');
}

const toleranceMs = 300_000;

function whatIsWrongWithTime(access: Access | undefined, { headers, nowMs }: Call): Reason | undefined {
  const time = headers[timeHeader];
  if (time === undefined) return access?.isStrict ? 'time_missing' : undefined;
  if (typeof time !== 'string' || !/^\d{1,15}$/.test(time)) return 'time_malformed';
  return Math.abs(nowMs - Number(time) * 1000) > toleranceMs ? 'time_off' : undefined;
}

/** What is logged of a refusal; to be asked only when the answer is on its way. */
export function wordFor(reason: Reason, access: Access | undefined, header: unknown, exists: boolean): string {
  if (!exists) return 'unknown_caller';
  if (access === undefined) return 'disabled_caller';
  if (access.keys.length === 0) return 'secret_does_not_open';
  if (reason !== 'wrong_signature') return reason;
  if (header === undefined) return 'no_signature';
  return typeof header === 'string' && wellFormed.test(header) ? reason : 'malformed_signature';
}

/**
 * From where a request comes: the address of the connection, or, behind proxies that are trusted, the nearest one in
 * `X-Forwarded-For` that is not such a proxy. Each proxy adds on the right whom it got the request from, so it is read from
 * there, and what stands left of an address that is not trusted was written by whoever is there. Undefined where a trusted proxy
 * passed on something that is no address.
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
