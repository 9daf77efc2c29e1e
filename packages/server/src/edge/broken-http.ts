import { randomUUIDv7 } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, errors, type Refusal } from '@freebets/contract';
import type { Edge } from './exchange.ts';
import { membersOf } from './log-line.ts';
import { endDiscarding, lastWordsMs } from './sending.ts';

/**
 * What a proxy in front could read in another way than Node does, and so take for two requests what is one here: another
 * version, two hosts or in HTTP/1.1 none, a body whose end is not told by its chunks.
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
 * After the answer to a good request before it on the same connection, where one is on its way. The other side need not
 * close, so the connection is destroyed soon after.
 */
export function refuseBrokenHttp(
  edge: Pick<Edge, 'log' | 'observe'>,
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (endDiscarding(socket)) return;
  const underWay = socket._httpMessage;
  if (underWay?.req.complete && !underWay.writableEnded) {
    // Whatever else comes meanwhile is as broken, and is refused with it.
    if (waitingToRefuse.has(socket)) return;
    waitingToRefuse.add(socket);
    underWay.once('finish', () => {
      waitingToRefuse.delete(socket);
      refuseBrokenHttp(edge, error, socket);
    });
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // A browser opens connections ahead of what it will ask, and would take the refusal of nothing for the answer to what it asks just then.
  if (isLate && socket.bytesRead === 0) return void socket.destroy();
  const id = randomUUIDv7();
  // What was held up on its way is as good as ever, and may come again.
  const refusal: Refusal = isLate
    ? { error: 'unavailable', details: [{ field: '', reason: 'did not arrive in time' }] }
    : { error: 'invalid_request' };
  const { status } = errors[refusal.error];
  const body = JSON.stringify(errorBody(refusal, id));
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
