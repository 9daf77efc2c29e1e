import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsBrotli, acceptsGzip, namesTag } from '../../calls/negotiation.ts';
import { type ReadyBytes, readyBytes } from '../../primitives/ready-bytes.ts';
import { type Sending, sendBody } from '../sending.ts';

// What is the same for everybody who asks: made when somebody first does, kept as bytes, and sent from those bytes without a
// copy. So many readers who take their time cost the server no more than one. (With a copy for each, 200 who stop reading the
// script of the reference hold 850 MB.)

export interface Resource extends ReadyBytes {
  type: string;
  /** Where it was compressed ahead. */
  brotli?: Buffer;
  /** There is never anything else by its name. */
  isForGood?: boolean;
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
  const caching = sent.isForGood ? 'public, max-age=31536000, immutable' : 'no-cache';
  reply.headers({ etag: sent.etag, vary: 'accept-encoding', 'cache-control': caching });
  if (namesTag(request.headers['if-none-match'], sent.etag)) return reply.code(304).send();
  const { coding, body } = formOf(sent, request.headers['accept-encoding']);
  reply.headers({ 'content-type': sent.type, 'content-length': body.length });
  if (coding !== undefined) reply.header('content-encoding', coding);
  reply.hijack().raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
  sendBody(sending, reply.raw, { body, isShared: true, whenGone: () => {} });
  return reply;
}

function formOf({ plain, gzip, brotli }: Resource, accepted: string | string[] | undefined) {
  if (brotli !== undefined && acceptsBrotli(accepted)) return { coding: 'br', body: brotli };
  return acceptsGzip(accepted) ? { coding: 'gzip', body: gzip } : { coding: undefined, body: plain };
}
