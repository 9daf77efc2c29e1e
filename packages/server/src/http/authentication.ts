import { createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { sign } from '@freebets/contract';

// Missing, malformed and wrong signatures, unknown and disabled callers: all the same to the one who is refused, in what
// they are told and in how long it takes. So a refusal has always cost exactly two HMACs, whoever was asked for.

const nobody = createSecretKey(randomBytes(32));
const wellFormed = /^[0-9a-fA-F]{64}$/;
const noSignature = '0'.repeat(64);

export function isSignedBy(keys: readonly KeyObject[] | undefined, body: Uint8Array, header: unknown): boolean {
  const usable = typeof header === 'string' && wellFormed.test(header);
  const claimed = Buffer.from(usable ? header.toLowerCase() : noSignature);
  const [newest = nobody, previous = nobody] = keys ?? [];
  if (matches(newest, body, claimed) && newest !== nobody && usable) return true;
  return matches(previous, body, claimed) && previous !== nobody && usable;
}

const matches = (key: KeyObject, body: Uint8Array, claimed: Buffer): boolean =>
  timingSafeEqual(Buffer.from(sign(body, key)), claimed);

/** Why a caller was refused: for the log alone, and to be asked only when the answer is on its way. */
export function whyForbidden(keys: readonly KeyObject[] | undefined, header: unknown, exists: boolean): string {
  if (!exists) return 'unknown_caller';
  if (keys === undefined) return 'disabled_caller';
  if (header === undefined) return 'no_signature';
  return typeof header === 'string' && wellFormed.test(header) ? 'wrong_signature' : 'malformed_signature';
}
