import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The bytes of a response that is the same for all callers, plain and compressed. */
export interface ReadyBytes {
  etag: string;
  plain: Buffer;
  gzip: Buffer;
}

export async function readyBytes(content: string | Buffer): Promise<ReadyBytes> {
  const plain = Buffer.from(content);
  return { etag: tagOf(plain), plain, gzip: await promisify(gzip)(plain) };
}

/** A weak tag, because the compressed and the plain bytes share it. */
export const tagOf = (plain: Buffer): string =>
  `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
