import { basePath, type OperationName, operations, signatureHeader, timeHeader } from './operations.ts';

/** A `Uint8Array` with its own buffer. Its type differs between TypeScript versions, so it is derived here. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** Declared here because not every user's type definitions have `TextEncoder`. */
interface Encoder {
  encode(text: string): Bytes;
  encodeInto(text: string, into: Bytes): { written: number };
}

export const encoder: Encoder = new TextEncoder();

/** Returns the value of `X-REQUEST-SIGN`: the lower-case hex HMAC-SHA256 of the bytes. */
export type Sign = (bytes: Bytes) => string | Promise<string>;

/**
 * Signed before the body in strict signing. No body begins like this, so neither kind of signature passes as the other.
 */
export const timedPrefix = (time: string, path: string): string => `${time}\n${path}\n`;

/** Rejects a missing setting: it would make a valid key that anyone can guess. */
function checkSecret(secret: unknown): void {
  if (typeof secret !== 'string' || secret === '') throw new TypeError('The secret is empty, or no string.');
}

/** The type of a key has no name that exists in every version of the Node.js types. */
type HmacKey = ReturnType<typeof crypto.subtle.importKey>;

export function hmacKeyOf(secret: string): HmacKey {
  checkSecret(secret);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign']);
}

/** Signs with WebCrypto, which every runtime has. Imports the key with the first body, and keeps it. */
export function signerOf(secret: string): Sign {
  checkSecret(secret);
  let key: HmacKey | undefined;
  return async (bytes) => {
    key ??= hmacKeyOf(secret);
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', await key, bytes));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  };
}

/** A request as it is sent over the wire. */
export interface SignedRequest {
  path: string;
  headers: Record<string, string>;
  body: Bytes;
}

/**
 * Builds and signs a request, for every caller in this repository. The body need not be valid. With `timeMs` the
 * signature also covers the time and the path.
 */
export async function signRequest(
  sign: Sign,
  name: OperationName,
  body: Bytes,
  timeMs?: number | undefined,
): Promise<SignedRequest> {
  const path = basePath + operations[name].path;
  const type = { 'content-type': 'application/json' };
  if (timeMs === undefined) return { path, headers: { ...type, [signatureHeader]: await sign(body) }, body };
  const time = String(Math.floor(timeMs / 1000));
  const signature = await sign(joined(encoder.encode(timedPrefix(time, path)), body));
  return { path, headers: { ...type, [timeHeader]: time, [signatureHeader]: signature }, body };
}

export function joined(first: Uint8Array, second: Uint8Array): Bytes {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
