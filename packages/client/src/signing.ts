import { basePath, type OperationName, operations, signatureHeader, timeHeader } from './operations.ts';

/** Bytes of their own, as each version of the compiler names them. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** Its type, too, has no name that every user has. */
interface Encoder {
  encode(text: string): Bytes;
  encodeInto(text: string, into: Bytes): { written: number };
}

export const encoder: Encoder = new TextEncoder();

/** Makes the value of `X-REQUEST-SIGN`: the lower-case hex HMAC-SHA256 of these bytes. */
export type Sign = (bytes: Bytes) => string | Promise<string>;

/** What is signed before the body where the time is sent. No body begins like this, so neither signature passes for the other. */
export const timedPrefix = (time: string, path: string): string => `${time}\n${path}\n`;

/** A key can be made of anything, also of a setting that is not there: then everybody knows it. */
function checkSecret(secret: unknown): void {
  if (typeof secret !== 'string' || secret === '') throw new TypeError('The secret is empty, or no string.');
}

/** The type of a key has no name that every version of the types of Node.js has. */
type HmacKey = ReturnType<typeof crypto.subtle.importKey>;

export function hmacKeyOf(secret: string): HmacKey {
  checkSecret(secret);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign']);
}

/** By WebCrypto, which every runtime has. The key is imported with the first body, and kept. */
export function signerOf(secret: string): Sign {
  checkSecret(secret);
  let key: HmacKey | undefined;
  return async (bytes) => {
    key ??= hmacKeyOf(secret);
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', await key, bytes));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  };
}

/** A request as it goes over the wire, whoever sends it and however often. */
export interface SignedRequest {
  path: string;
  headers: Record<string, string>;
  body: Bytes;
}

/**
 * What is sent, and what is signed, for every caller in this repository. The bytes need not be valid. With a time the signature
 * covers it and the path too.
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
