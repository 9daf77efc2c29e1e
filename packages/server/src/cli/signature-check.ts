import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sign, signatureHeader } from '@freebets/contract';
import type { Received } from './receiver.ts';

// What a partner does with an event before believing it: both signatures, though one of them would do.

const toleranceMs = 5 * 60 * 1000;

/** In words, or undefined when all is right. */
export function whatIsWrong(keys: readonly KeyObject[], received: Received, nowMs: number): string | undefined {
  return wrongSignature(keys, received) ?? wrongStandardSignature(keys, received, nowMs);
}

function wrongSignature(keys: readonly KeyObject[], { headers, body }: Received): string | undefined {
  const given = textOf(headers, signatureHeader);
  const isRight = keys.some((key) => areEqual(given, sign(body, key)));
  return isRight ? undefined : `${signatureHeader.toUpperCase()} is ${given === '' ? 'missing' : 'wrong'}`;
}

/** As standardwebhooks.com says; the header may hold several signatures, one for each secret. */
function wrongStandardSignature(keys: readonly KeyObject[], { headers, body }: Received, nowMs: number) {
  const id = textOf(headers, 'webhook-id');
  const timestamp = textOf(headers, 'webhook-timestamp');
  const given = textOf(headers, 'webhook-signature').split(' ');
  const sentAt = /^\d{1,11}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  if (!(Math.abs(nowMs - sentAt) <= toleranceMs)) return 'webhook-timestamp is not of the last five minutes';
  const isRight = keys.some((key) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return given.some((signature) => areEqual(signature, `v1,${hmac}`));
  });
  return isRight ? undefined : 'webhook-signature is wrong';
}

const textOf = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
