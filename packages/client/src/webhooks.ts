import { objectIn } from './freebets-error.ts';
import { signatureHeader, timeHeader } from './operations.ts';
import { type Bytes, encoder, hmacKeyOf, joined, timedPrefix } from './signing.ts';
import type { FreebetsEvent } from './things.ts';

// What a partner does with an event before believing it. An event is signed twice over: as requests are (X-REQUEST-SIGN), and as
// Standard Webhooks says. Whatever of it is there must be right, and one at least must be there that covers the
// time: a copy could otherwise be sent at any time, by whoever takes the other away.

/** Of `fetch`, of Node.js, or any other that has them by their names. */
export type WebhookHeaders =
  | Iterable<readonly [string, string]>
  | Record<string, string | readonly string[] | undefined>;

export interface WebhookOptions {
  /**
   * The path of the request line with its query, `/events?from=freebets`. It is needed where your signing is strict, to check
   * X-REQUEST-SIGN: that covers the path too.
   */
  path?: string | undefined;
  /** How far off a time may be; 300 s when absent. */
  toleranceS?: number | undefined;
  /** Takes X-REQUEST-SIGN alone where it covers no time; then only its `event_id` tells an old event from a new one. */
  allowUntimed?: boolean | undefined;
  /** In place of the clock. */
  nowMs?: number | undefined;
}

export type WebhookReason = 'missing_signature' | 'wrong_signature' | 'wrong_time' | 'path_needed' | 'not_an_event';

/** Why an event is not to be believed: answer it with 401, or 400 where it is no event. */
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

/** The event, if it is genuine; otherwise a `WebhookError` is thrown. `rawBody` is the body as it came, before anything has parsed it. */
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

/** Covers the id and the time; the header may hold several, one for each secret. */
async function checkStandardSignature({ header, bytes, isRecent }: Received, keys: Key[]): Promise<boolean> {
  const given = header('webhook-signature');
  if (given === undefined) return false;
  const time = header('webhook-timestamp') ?? '';
  if (!isRecent(time)) throw wrongTime('webhook-timestamp');
  const signatures = given.split(' ').flatMap((one) => (one.startsWith('v1,') ? [base64Bytes(one.slice(3))] : []));
  await check('webhook-signature', keys, signatures, `${header('webhook-id') ?? ''}.${time}.`, bytes);
  return true;
}

/** Covers the time and the path where the time is sent; while a secret is replaced there are two. */
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

/** One HMAC for each key, however many signatures a stranger sends. */
async function check(header: string, keys: Key[], signatures: Bytes[], prefix: string, bytes: Uint8Array) {
  const content = joined(encoder.encode(prefix), bytes);
  for (const key of keys) {
    const right = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
    if (signatures.some((signature) => isSame(signature, right))) return;
  }
  throw new WebhookError('wrong_signature', `${header} is wrong: another secret, or a body that is not the one sent.`);
}

/** Takes the same time wherever the two differ. */
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
