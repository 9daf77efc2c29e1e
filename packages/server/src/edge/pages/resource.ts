import type { IncomingHttpHeaders } from 'node:http';
import { acceptsBrotli, acceptsGzip, namesTag } from '../../calls/negotiation.ts';
import type { PageResponse } from '../../calls/page.ts';
import { type ReadyBytes, readyBytes } from '../../primitives/ready-bytes.ts';

// Content that is the same for all callers is built on first use, kept as bytes, and sent without a copy. (With a copy
// for each, 200 readers that stall in the middle of the reference script would hold 850 MB.)

export interface Resource extends ReadyBytes {
  type: string;
  /** Absent if it was not compressed in advance. */
  brotli?: Buffer;
  /** The content never changes. */
  isImmutable?: boolean;
}

export const resource = async (type: string, content: string | Buffer): Promise<Resource> => ({
  type,
  ...(await readyBytes(content)),
});

/** Makes the value on first use; after a failure the next use tries again. */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

export function pageOf(requested: IncomingHttpHeaders, sent: Resource): PageResponse {
  // Browsers revalidate other resources each time, so that no page runs an old script after an upgrade.
  const caching = sent.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = { etag: sent.etag, vary: 'accept-encoding', 'cache-control': caching };
  if (namesTag(requested['if-none-match'], sent.etag)) return { status: 304, headers, body: '' };
  const { coding, body } = formOf(sent, requested['accept-encoding']);
  const encoding = coding && { 'content-encoding': coding };
  return { headers: { ...headers, 'content-type': sent.type, ...encoding }, body, isShared: true };
}

function formOf({ plain, gzip, brotli }: Resource, accepted: string | string[] | undefined) {
  if (brotli !== undefined && acceptsBrotli(accepted)) return { coding: 'br', body: brotli };
  return acceptsGzip(accepted) ? { coding: 'gzip', body: gzip } : { coding: undefined, body: plain };
}
