import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Cookies } from './call.ts';

/** A GET of a page, a file or a redirect. */
export interface PageRequest {
  /** The part of the path in place of the `*` of the route, with its escapes. */
  rest: string;
  /** The query with its question mark, or empty. */
  search: string;
  headers: IncomingHttpHeaders;
  cookies: Cookies;
  /** Null if the caller's address is unknown. */
  address: string | null;
  requestId: string;
}

export interface PageResponse {
  /** 200 when absent. */
  status?: number;
  headers: OutgoingHttpHeaders;
  body: string | Buffer;
  /** All callers share the bytes of the body. */
  isShared?: boolean;
}

export interface Route {
  /** The name in metrics and the log. Without it the path is the name, and lines are logged at level `debug`. */
  name?: string;
  /** Headers of every response, including refusals. */
  headers?: OutgoingHttpHeaders;
  /** Returns undefined if there is no such page. */
  serve(request: PageRequest): Promise<PageResponse | undefined>;
}

/** By path. A path that ends with `*` is a prefix. */
export type Routes = ReadonlyMap<string, Route>;

export const jsonPage = (body: object, status = 200): PageResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});

export const redirectTo = (location: string, status = 302): PageResponse => ({
  status,
  headers: { location },
  body: '',
});
