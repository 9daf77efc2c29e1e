import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip, namesTag } from '../negotiation.ts';

// What is the same for everybody who asks: made when somebody first does, kept as bytes, and sent from those bytes without a
// copy. So many readers who take their time cost the server no more than one. (With a copy for each, 200 who stop reading the
// script of the reference hold 850 MB.)

export interface Resource {
  type: string;
  etag: string;
  plain: Buffer;
  gzip: Buffer;
}

/** Whoever has not read an answer by then is dropped. The largest, compressed, takes a line of 200 kbit/s as long. */
const writeLimitMs = 60_000;

export async function resource(type: string, content: string | Buffer): Promise<Resource> {
  const plain = Buffer.from(content);
  // Weak, because the compressed and the plain bytes go by the same tag.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, etag, plain, gzip: await promisify(gzip)(plain) };
}

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

export function sendResource(request: FastifyRequest, reply: FastifyReply, sent: Resource, limitMs = writeLimitMs) {
  limitWriting(reply.raw, limitMs);
  // Asked about again each time, which an unchanged one answers with 304: after an upgrade no page runs an old script.
  reply.headers({ etag: sent.etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
  if (namesTag(request.headers['if-none-match'], sent.etag)) return reply.code(304).send();
  reply.type(sent.type);
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(sent.plain);
  return reply.header('content-encoding', 'gzip').send(sent.gzip);
}

function limitWriting(response: ServerResponse, limitMs: number): void {
  if (response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), limitMs);
  response.once('close', () => clearTimeout(timer));
}
