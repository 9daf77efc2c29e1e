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
  // Weak, because the compressed and the plain bytes go by the same tag.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { etag, plain, gzip: await promisify(gzip)(plain) };
}
