import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ReadyBytes, readyBytes } from '../../ready-bytes.ts';
import { acceptsGzip, namesTag } from '../negotiation.ts';
import { type Sending, sendBody } from '../sending.ts';

// What is the same for everybody who asks: made when somebody first does, kept as bytes, and sent from those bytes without a
// copy. So many readers who take their time cost the server no more than one. (With a copy for each, 200 who stop reading the
// script of the reference hold 850 MB.)

export interface Resource extends ReadyBytes {
  type: string;
}

export const resource = async (type: string, content: string | Buffer): Promise<Resource> => ({
  type,
  ...(await readyBytes(content)),
});

/** Makes it when it is first asked for; what fails is tried again with the next request. */
export function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

export function sendResource(sending: Sending, request: FastifyRequest, reply: FastifyReply, sent: Resource) {
  // Asked about again each time, which an unchanged one answers with 304: after an upgrade no page runs an old script.
  reply.headers({ etag: sent.etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
  if (namesTag(request.headers['if-none-match'], sent.etag)) return reply.code(304).send();
  const isPacked = acceptsGzip(request.headers['accept-encoding']);
  const body = isPacked ? sent.gzip : sent.plain;
  reply.headers({ 'content-type': sent.type, 'content-length': body.length });
  if (isPacked) reply.header('content-encoding', 'gzip');
  reply.hijack().raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
  sendBody(sending, reply.raw, { body, isShared: true, whenGone: () => {} });
  return reply;
}
