import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Networks } from '../primitives/networks.ts';

/**
 * From where a request comes: the address of the connection, or, behind proxies that are trusted, the nearest one in
 * `X-Forwarded-For` that is not such a proxy. Each proxy adds on the right whom it got the request from, so it is read from
 * there, and what stands left of an address that is not trusted was written by whoever is there. Undefined where a trusted proxy
 * passed on something that is no address.
 */
export function callerAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trustedProxies: Networks | undefined,
): string | undefined {
  let nearest = socket.remoteAddress;
  if (nearest === undefined || !trustedProxies?.has(nearest)) return nearest;
  // Node joins several headers of this name with commas, in their order.
  for (const entry of forwardedFor(headers).reverse()) {
    if (isIP(entry) === 0) return undefined;
    nearest = entry;
    if (!trustedProxies.has(entry)) break;
  }
  return nearest;
}

function forwardedFor({ 'x-forwarded-for': header }: IncomingMessage['headers']): string[] {
  return header === undefined
    ? []
    : String(header)
        .split(',')
        .map((entry) => entry.trim());
}
