import { randomUUIDv7 } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, errors, type Refusal } from '@freebets/contract';
import { type Edge, membersOf } from './exchange.ts';
import { endDiscarding, lastWordsMs } from './transfer.ts';

/**
 * Node's parser accepts versions 0.9 and 2.0, several hosts or none, and codings other than `chunked`. A proxy could
 * read such a request differently, and see two requests where Node sees one.
 */
export function isPlainHttp({ httpVersion, rawHeaders, headers }: IncomingMessage): boolean {
  const isOld = httpVersion === '1.0';
  if (httpVersion !== '1.1' && !isOld) return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked')) return false;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (isOld && hosts === 0);
}

const waitingToRefuse = new WeakSet<Socket>();

/**
 * Responds to a request that Node could not parse, after the response to a complete request before it on the same
 * connection. The caller may keep the connection open, so it is destroyed soon after.
 */
export function refuseBrokenHttp(
  edge: Pick<Edge, 'log' | 'observe' | 'publicUrl'>,
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (endDiscarding(socket)) return;
  const underWay = socket._httpMessage;
  if (underWay?.req.complete && !underWay.writableEnded) {
    // The bytes in between are part of the same broken input and get no separate response.
    if (waitingToRefuse.has(socket)) return;
    waitingToRefuse.add(socket);
    underWay.once('finish', () => {
      waitingToRefuse.delete(socket);
      refuseBrokenHttp(edge, error, socket);
    });
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // A browser opens connections early, and would take this refusal for the response to its next request.
  if (isLate && socket.bytesRead === 0) return void socket.destroy();
  const id = randomUUIDv7();
  // A late request may be valid, so the caller can retry it.
  const refusal: Refusal = isLate
    ? { error: 'unavailable', details: [{ field: '', reason: 'did not arrive in time' }] }
    : { error: 'invalid_request' };
  const { status } = errors[refusal.error];
  const body = JSON.stringify(errorBody(refusal, id, edge.publicUrl()));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${isLate ? 'Retry-After: 1\r\n' : ''}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), lastWordsMs).unref();
  edge.observe('unknown', status, 0, refusal.error);
  const reason = isLate ? 'late' : (error.code ?? error.message);
  const line = { request_id: id, operation: 'unknown', status, error: refusal.error, reason };
  edge.log.request(membersOf(line));
}
