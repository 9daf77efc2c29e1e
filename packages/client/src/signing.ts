import type { OperationName } from '@freebets/contract';
import { basePath, paths, signatureHeader, timedPrefix, timeHeader } from '@freebets/contract/paths';

type Bytes = Uint8Array<ArrayBuffer>;

/** Makes the value of `X-REQUEST-SIGN`: the lower-case hex HMAC-SHA256 of these bytes. */
export type Sign = (bytes: Bytes) => string | Promise<string>;

const hmac = { name: 'HMAC', hash: 'SHA-256' };

/** By WebCrypto, which every runtime has. The key is imported with the first body, and kept. */
export function signerOf(secret: string): Sign {
  if (secret === '') throw new TypeError('The secret is empty.');
  let key: ReturnType<typeof crypto.subtle.importKey> | undefined;
  return async (bytes) => {
    key ??= crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hmac, false, ['sign']);
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
  const path = basePath + paths[name].path;
  const type = { 'content-type': 'application/json' };
  if (timeMs === undefined) return { path, headers: { ...type, [signatureHeader]: await sign(body) }, body };
  const time = String(Math.floor(timeMs / 1000));
  const signature = await sign(joined(new TextEncoder().encode(timedPrefix(time, path)), body));
  return { path, headers: { ...type, [timeHeader]: time, [signatureHeader]: signature }, body };
}

function joined(first: Bytes, second: Bytes): Bytes {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
