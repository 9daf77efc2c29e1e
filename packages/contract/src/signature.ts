import { createHmac, type KeyObject } from 'node:crypto';

/** HMAC-SHA256 of the exact bytes of the body, behind a `timedPrefix` if any. */
export function signatureOf(body: string | Uint8Array, secret: string | KeyObject, prefix = ''): Buffer {
  const hmac = createHmac('sha256', secret);
  if (prefix !== '') hmac.update(prefix);
  return hmac.update(body).digest();
}

/** The value of `X-REQUEST-SIGN`, in lower-case hex. */
export const sign = (body: string | Uint8Array, secret: string | KeyObject, prefix = ''): string =>
  signatureOf(body, secret, prefix).toString('hex');
