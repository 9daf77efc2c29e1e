import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sign, signatureHeader, timedPrefix, timeHeader } from '@freebets/contract';
import type { Signer } from '../events/webhooks/request.ts';
import type { Received } from './receiver.ts';

// What a partner does with an event before believing it: both signatures, though one of them would do.

const toleranceMs = 5 * 60 * 1000;

/** In words, or undefined when all is right. */
export function whatIsWrong(signer: Signer, received: Received, nowMs: number): string | undefined {
  return (
    wrongTime(signer, received, nowMs) ??
    wrongSignature(signer.keys, received) ??
    wrongStandardSignature(signer.keys, received, nowMs)
  );
}

/** Which only a partner with strict signing asks for. */
function wrongTime({ isStrict }: Signer, { headers }: Received, nowMs: number): string | undefined {
  if (headers[timeHeader] === undefined) return isStrict ? `${timeHeader.toUpperCase()} is missing` : undefined;
  return isRecent(textOf(headers, timeHeader), nowMs)
    ? undefined
    : `${timeHeader.toUpperCase()} is not of the last five minutes`;
}

function wrongSignature(keys: readonly KeyObject[], { path, headers, body }: Received): string | undefined {
  const given = textOf(headers, signatureHeader);
  const prefix = headers[timeHeader] === undefined ? '' : timedPrefix(textOf(headers, timeHeader), path);
  const isRight = keys.some((key) => areEqual(given, sign(body, key, prefix)));
  return isRight ? undefined : `${signatureHeader.toUpperCase()} is ${given === '' ? 'missing' : 'wrong'}`;
}

/** As standardwebhooks.com says; the header may hold several signatures, one for each secret. */
function wrongStandardSignature(keys: readonly KeyObject[], { headers, body }: Received, nowMs: number) {
  const id = textOf(headers, 'webhook-id');
  const timestamp = textOf(headers, 'webhook-timestamp');
  const given = textOf(headers, 'webhook-signature').split(' ');
  if (!isRecent(timestamp, nowMs)) return 'webhook-timestamp is not of the last five minutes';
  const isRight = keys.some((key) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return given.some((signature) => areEqual(signature, `v1,${hmac}`));
  });
  return isRight ? undefined : 'webhook-signature is wrong';
}

const isRecent = (seconds: string, nowMs: number): boolean =>
  /^\d{1,11}$/.test(seconds) && Math.abs(nowMs - Number(seconds) * 1000) <= toleranceMs;

const textOf = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
