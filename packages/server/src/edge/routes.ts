import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageResponse, Route, Routes } from '../calls/page.ts';
import { addressOf, type Edge, type Exchange, fail, openExchange, refuse, send } from './exchange.ts';
import { cookiesOf } from './staff.ts';

// Pages, files, probes and redirects: read with GET or HEAD.

interface Found {
  /** As it is in the table of routes. */
  path: string;
  route: Route;
  rest: string;
}

/** The route of this path, or else the route with the longest prefix of it. */
export function findRoute(routes: Routes, path: string): Found | undefined {
  const exact = routes.get(path);
  if (exact !== undefined) return { path, route: exact, rest: '' };
  for (let end = path.length; end > 0; ) {
    end = path.lastIndexOf('/', end - 1);
    const prefix = `${path.slice(0, end + 1)}*`;
    const route = routes.get(prefix);
    if (route !== undefined) return { path: prefix, route, rest: path.slice(end + 1) };
  }
  return undefined;
}

export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** `allowed` returns the methods of paths with another method. */
export function serveRoute(
  edge: Edge,
  routes: Routes,
  allowed: (path: string) => string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, headers, url = '' } = request;
  const exchange = openExchange(edge, 'unknown', undefined, request, response);
  const path = pathOf(url);
  const found = method === 'GET' || method === 'HEAD' ? findRoute(routes, path) : undefined;
  if (found === undefined) return void refuseUnknown(exchange, allowed(path));
  const { route, rest } = found;
  exchange.name = route.name ?? found.path;
  exchange.isQuiet = route.name === undefined;
  exchange.isPaced = route.name !== undefined;
  Object.assign(exchange.headers, route.headers);
  const { search = '' } = URL.parse(url, 'http://localhost') ?? {};
  const { requestId } = exchange;
  route
    .serve({ rest, search, headers, requestId, address: addressOf(exchange), cookies: cookiesOf(exchange) })
    .then((page) => (page === undefined ? refuseUnknown(exchange, allowed(path)) : sendPage(exchange, page)))
    .catch((error) => fail(exchange, error));
}

function refuseUnknown(exchange: Exchange, allow: string | undefined): void {
  exchange.name = 'unknown';
  exchange.isQuiet = false;
  if (allow !== undefined) exchange.headers.allow = allow;
  refuse(exchange, { error: allow === undefined ? 'unknown_operation' : 'method_not_allowed' });
}

function sendPage(exchange: Exchange, { status = 200, headers, body, isShared }: PageResponse): void {
  Object.assign(exchange.headers, headers);
  send(exchange, { status, body, isShared, ...(status === 503 && { error: 'unavailable' }) });
}
