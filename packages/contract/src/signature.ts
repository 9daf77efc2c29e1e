import { createHmac, type KeyObject } from 'node:crypto';

/** The value of `X-REQUEST-SIGN`: lower-case hex HMAC-SHA256 of the exact bytes of the body, behind a `timedPrefix` if any. */
export function sign(body: string | Uint8Array, secret: string | KeyObject, prefix = ''): string {
  const hmac = createHmac('sha256', secret);
  if (prefix !== '') hmac.update(prefix);
  return hmac.update(body).digest('hex');
}
