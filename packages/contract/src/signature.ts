import { createHmac, type KeyObject } from 'node:crypto';

/** The value of `X-REQUEST-SIGN`: lower-case hex HMAC-SHA256 of the exact bytes of the body. */
export function sign(body: string | Uint8Array, secret: string | KeyObject): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
