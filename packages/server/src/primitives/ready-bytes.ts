import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What is the same for everybody who asks, as it is sent. */
export interface ReadyBytes {
  etag: string;
  plain: Buffer;
  gzip: Buffer;
}

export async function readyBytes(content: string | Buffer): Promise<ReadyBytes> {
  const plain = Buffer.from(content);
  return { etag: tagOf(plain), plain, gzip: await promisify(gzip)(plain) };
}

/** Weak, because the compressed and the plain bytes go by the same tag. */
export const tagOf = (plain: Buffer): string =>
  `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
