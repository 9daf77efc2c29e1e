import { objectIn } from './freebets-error.ts';
import { signatureHeader, timeHeader } from './operations.ts';
import { type Bytes, encoder, hmacKeyOf, joined, timedPrefix } from './signing.ts';
import type { FreebetsEvent } from './things.ts';

// Verifies an event. An event has two signatures: X-REQUEST-SIGN, as on requests, and the one of Standard Webhooks.
// Every signature present must be valid, and at least one must cover the time. Otherwise an attacker could remove that
// one and replay the event at any time.

/** The headers of `fetch`, of Node.js, or any other map by name. */
export type WebhookHeaders =
  | Iterable<readonly [string, string]>
  | Record<string, string | readonly string[] | undefined>;

export interface WebhookOptions {
  /**
   * The path of the request line with its query, such as `/events?from=freebets`. With strict signing it is needed to
   * check X-REQUEST-SIGN, which then covers the path.
   */
  path?: string | undefined;
  /** The maximum difference from the clock; 300 s if absent. */
  toleranceS?: number | undefined;
  /** Accepts X-REQUEST-SIGN alone even if it covers no time. Then only the `event_id` shows that an event is old. */
  allowUntimed?: boolean | undefined;
  /** The time to compare with; the clock if absent. */
  nowMs?: number | undefined;
}

export type WebhookReason = 'missing_signature' | 'wrong_signature' | 'wrong_time' | 'path_needed' | 'not_an_event';

/** The event is not genuine. Respond with 401, or with 400 for `not_an_event`. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  declare readonly reason: WebhookReason;

  constructor(reason: WebhookReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

interface Received {
  bytes: Uint8Array;
  header(name: string): string | undefined;
  isRecent(seconds: string): boolean;
  path: string | undefined;
}

/** Returns a genuine event, or throws a `WebhookError`. `rawBody` is the unparsed body of the request. */
export async function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: WebhookOptions = {},
): Promise<FreebetsEvent> {
  const { toleranceS = 300, allowUntimed = false, nowMs = Date.now(), path } = options;
  const named = headersOf(headers);
  const received: Received = {
    bytes: bytesOf(rawBody),
    header: (name) => named.get(name),
    isRecent: (seconds) => /^\d{1,15}$/.test(seconds) && Math.abs(nowMs / 1000 - Number(seconds)) <= toleranceS,
    path,
  };
  const keys = await Promise.all([secrets].flat().map(hmacKeyOf));
  const isStandard = await checkStandardSignature(received, keys);
  const isSigned = await checkSignature(received, keys, isStandard);
  if (!isStandard && !isSigned) {
    throw new WebhookError('missing_signature', 'There is neither webhook-signature nor X-REQUEST-SIGN.');
  }
  if (!isStandard && !named.has(timeHeader) && !allowUntimed) {
    throw new WebhookError('wrong_time', 'webhook-signature is missing, and X-REQUEST-SIGN alone covers no time.');
  }
  const event = objectIn(new TextDecoder().decode(received.bytes)) as Partial<FreebetsEvent> | undefined;
  if (typeof event?.event_id !== 'string' || typeof event.sequence !== 'number' || typeof event.type !== 'string') {
    throw new WebhookError('not_an_event', 'The signature is right, but the body is no event.');
  }
  return event as FreebetsEvent;
}

type Key = Awaited<ReturnType<typeof hmacKeyOf>>;

/** Checks the signature over the ID and the time. The header may hold one signature for each secret. */
async function checkStandardSignature({ header, bytes, isRecent }: Received, keys: Key[]): Promise<boolean> {
  const given = header('webhook-signature');
  if (given === undefined) return false;
  const time = header('webhook-timestamp') ?? '';
  if (!isRecent(time)) throw wrongTime('webhook-timestamp');
  const signatures = given.split(' ').flatMap((one) => (one.startsWith('v1,') ? [base64Bytes(one.slice(3))] : []));
  await check('webhook-signature', keys, signatures, `${header('webhook-id') ?? ''}.${time}.`, bytes);
  return true;
}

/** Checks X-REQUEST-SIGN, which covers the time and the path if it has a time. During a rotation there are two. */
async function checkSignature({ header, bytes, isRecent, path }: Received, keys: Key[], isEnough: boolean) {
  const given = [header(signatureHeader), header(`${signatureHeader}-previous`)].filter((one) => one !== undefined);
  if (given.length === 0) return false;
  const time = header(timeHeader);
  if (time !== undefined && !isRecent(time)) throw wrongTime(timeHeader.toUpperCase());
  if (time !== undefined && path === undefined) {
    if (isEnough) return false;
    throw new WebhookError('path_needed', 'X-REQUEST-SIGN covers the path of the request: give it as the option path.');
  }
  const prefix = time === undefined ? '' : timedPrefix(time, path ?? '');
  await check(signatureHeader.toUpperCase(), keys, given.map(hexBytes), prefix, bytes);
  return true;
}

const wrongTime = (header: string) => new WebhookError('wrong_time', `${header} is missing or too far off.`);

/** Computes one HMAC per key, regardless of how many signatures the sender included. */
async function check(header: string, keys: Key[], signatures: Bytes[], prefix: string, bytes: Uint8Array) {
  const content = joined(encoder.encode(prefix), bytes);
  for (const key of keys) {
    const right = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
    if (signatures.some((signature) => isSame(signature, right))) return;
  }
  throw new WebhookError('wrong_signature', `${header} is wrong: another secret, or a body that is not the one sent.`);
}

/** Compares in constant time. */
const isSame = (given: Bytes, right: Bytes): boolean =>
  given.length === right.length && right.reduce((differing, byte, i) => differing | (byte ^ (given[i] ?? 0)), 0) === 0;

const hexBytes = (hex: string): Bytes =>
  /^([0-9a-f]{2})+$/i.test(hex)
    ? Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
    : new Uint8Array();

function base64Bytes(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return encoder.encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError(
    'verifyWebhook needs the body as the bytes that came: express.raw({ type: "*/*" }), request.bytes(), or parseAs: "buffer".',
  );
}

function headersOf(headers: WebhookHeaders): Map<string, string> {
  const entries = Symbol.iterator in headers ? [...(headers as Iterable<[string, string]>)] : Object.entries(headers);
  return new Map(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]])),
  );
}
