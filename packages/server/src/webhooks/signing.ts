import assert from 'node:assert/strict';
import { createHmac, type KeyObject } from 'node:crypto';
import { sign, signatureHeader } from '@freebets/contract';

/**
 * An event is signed twice over: as the partner signs its own requests, and as Standard Webhooks says, for which there are
 * libraries. The keys are the live secrets of the partner, the newest first; while a secret is being replaced there are two,
 * and either will do for the partner.
 */
export function signedHeaders(
  keys: readonly KeyObject[],
  eventId: string,
  body: string,
  nowMs: number,
): Record<string, string> {
  const [newest, previous] = keys;
  assert(newest, 'a partner has a secret');
  const timestamp = Math.floor(nowMs / 1000).toString();
  const content = `${eventId}.${timestamp}.${body}`;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    [signatureHeader]: sign(body, newest),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => `v1,${hmac(content, key)}`).join(' '),
  };
  if (previous) headers[`${signatureHeader}-previous`] = sign(body, previous);
  return headers;
}

const hmac = (content: string, key: KeyObject) => createHmac('sha256', key).update(content).digest('base64');
