import type { OperationName } from '@freebets/contract';
import { basePath, paths, signatureHeader } from '@freebets/contract/paths';

type Bytes = Uint8Array<ArrayBuffer>;

/** Makes the value of `X-REQUEST-SIGN`: lower-case hex HMAC-SHA256 of the exact bytes of a body. */
export type Sign = (body: Bytes) => string | Promise<string>;

const hmac = { name: 'HMAC', hash: 'SHA-256' };

/** By WebCrypto, which every runtime has. The key is imported with the first body, and kept. */
export function signerOf(secret: string): Sign {
  if (secret === '') throw new TypeError('The secret is empty.');
  let key: ReturnType<typeof crypto.subtle.importKey> | undefined;
  return async (body) => {
    key ??= crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hmac, false, ['sign']);
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', await key, body));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  };
}

/** A request as it goes over the wire, whoever sends it and however often. */
export interface SignedRequest {
  path: string;
  headers: Record<string, string>;
  body: Bytes;
}

/** What is sent, and what is signed, for every caller in this repository. The bytes need not be valid. */
export async function signRequest(sign: Sign, name: OperationName, body: Bytes): Promise<SignedRequest> {
  const headers = { 'content-type': 'application/json', [signatureHeader]: await sign(body) };
  return { path: basePath + paths[name].path, headers, body };
}
