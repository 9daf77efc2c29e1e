import assert from 'node:assert/strict';
import { createHmac, type KeyObject } from 'node:crypto';
import { sign, signatureHeader, timedPrefix, timeHeader } from '@freebets/contract';

export interface Signer {
  /** The live secrets of the partner, the newest first; while one is being replaced there are two, and either will do. */
  keys: readonly KeyObject[];
  /** Its own requests must have the time and the path signed too; so do those it gets. */
  isStrict: boolean;
}

interface EventRequest {
  eventId: string;
  url: string;
  body: string;
}

/**
 * An event is signed twice over: as the partner signs its own requests, and as Standard Webhooks says, for which there are
 * libraries.
 */
export function signedHeaders(
  signer: Signer,
  { eventId, url, body }: EventRequest,
  nowMs: number,
): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1000).toString();
  const content = `${eventId}.${timestamp}.${body}`;
  const target = signer.isStrict ? URL.parse(url) : null;
  return {
    'content-type': 'application/json',
    ...requestHeaders(signer.keys, body, target === null ? undefined : { time: timestamp, path: requestPath(target) }),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signer.keys.map((key) => `v1,${hmac(content, key)}`).join(' '),
  };
}

/** As it stands in the request line. */
export const requestPath = ({ pathname, search }: URL): string => pathname + search;

/** Those that a request of the partner has. */
export function requestHeaders(
  [newest, previous]: readonly KeyObject[],
  body: string | Uint8Array,
  timed: { time: string; path: string } | undefined,
): Record<string, string> {
  assert(newest, 'a partner has a secret');
  const prefix = timed === undefined ? '' : timedPrefix(timed.time, timed.path);
  return {
    ...(timed !== undefined && { [timeHeader]: timed.time }),
    [signatureHeader]: sign(body, newest, prefix),
    ...(previous !== undefined && { [`${signatureHeader}-previous`]: sign(body, previous, prefix) }),
  };
}

const hmac = (content: string, key: KeyObject) => createHmac('sha256', key).update(content).digest('base64');
