import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { consolePath, live } from '@freebets/contract';
import { openFairWork } from '../calls/fair-work.ts';
import type { PageResponse, Route, Routes } from '../calls/page.ts';
import { openLive } from '../events/live/api.ts';
import { signOnRoutes } from '../people/api/single-sign-on.ts';
import { isPlainHttp, refuseBrokenHttp } from './broken-http.ts';
import { limitConnections } from './connections.ts';
import { consoleRoutes } from './console-pages.ts';
import { addressOf, type Edge, type Exchange, fail, openExchange, refuse, refuseEarly, send } from './exchange.ts';
import { operationsByPath } from './operations.ts';
import { pageRoutes } from './pages/pages.ts';
import { serveOperation } from './serve-operation.ts';
import type { AllServices } from './services.ts';
import { cookiesOf } from './staff.ts';
import { serveStream } from './streams.ts';
import { discardBody, limitBodies, limitResponses } from './transfer.ts';

// The HTTP server. A POST is an operation, a GET is a page or the stream of events.

export const keepAliveMs = 72_000;
/** How often Node checks for late connections within one timeout. */
const checksInTime = 30;

/** The absolute form of a request target, which clients send to proxies. */
const wholeAddress = /^https?:\/\/[^/?#]*/i;

const livePath = consolePath + live.path;

/**
 * Limits pipelining: each unanswered request keeps a request and a response in memory, while earlier responses may be
 * unread. Browsers do not pipeline.
 */
const mostUnanswered = 32;

export interface App {
  server: Server;
  /** Ends the streams, so that the server can close. */
  endStreams(): Promise<void>;
}

export function buildApp(services: AllServices, probes: Routes = new Map()): App {
  const { timeoutMs } = services.limits;
  const server = createServer({
    // Otherwise Node would respond to a request without this header itself, without a body.
    requireHostHeader: false,
    headersTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    connectionsCheckingInterval: Math.ceil(timeoutMs / checksInTime),
    keepAliveTimeout: keepAliveMs,
  });
  const edge = openEdge(services, server);
  const streams = openLive(services);
  const routes = new Map<string, Route>([
    ...pageRoutes(services),
    ...consoleRoutes(services),
    ...signOnRoutes(services),
    ...probes,
  ]);
  const allowed = (path: string) => {
    if (path === livePath) return 'GET';
    const methods = [...(operationsByPath.has(path) ? ['POST'] : []), ...(routes.has(path) ? ['GET', 'HEAD'] : [])];
    return methods.length === 0 ? undefined : methods.join(', ');
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/')) request.url = request.url?.replace(wholeAddress, '') ?? '';
    const path = pathOf(request.url);
    const operation = request.method === 'POST' ? operationsByPath.get(path) : undefined;
    if (!isPlainHttp(request)) {
      refuseEarly(openExchange(edge, 'unknown', undefined, request, response), { error: 'invalid_request' });
    } else if (operation !== undefined && operation.staff === undefined) {
      serveOperation(edge, operation, request, response);
    } else if (takeConnection(edge, request, response)) {
      if (operation !== undefined) return serveOperation(edge, operation, request, response);
      discardBody(request, response);
      if (request.method === 'GET' && path === livePath) serveStream(edge, streams, request, response);
      else serveRoute(edge, routes, allowed, request, response);
    }
  });
  // Ignores unknown expectations instead of refusing the request.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error, socket) =>
    refuseBrokenHttp(edge, error, socket as Parameters<typeof refuseBrokenHttp>[2]),
  );
  return { server, endStreams: streams.stop };
}

/** For large bodies. A slice is short compared with the response time that callers expect. */
const examining = { sliceMs: 2, queueSize: 1000 };

/** Requests per second of one staff member, in all browsers together: many more than a page needs. */
const staffRate = { limit: 50, burst: 100 };

function openEdge(services: AllServices, server: Server): Edge {
  const { openLimiter, observeDrop, rate, itemRate } = services;
  const { timeoutMs, connections, answerBytes, bodyBytes } = services.limits;
  return {
    ...services,
    limiter: openLimiter(rate.limit, rate.burst),
    itemLimiter: openLimiter(itemRate.limit, itemRate.burst),
    staffLimiter: rate.limit === 0 ? undefined : openLimiter(staffRate.limit, staffRate.burst),
    fairWork: openFairWork({ ...examining, waitingBytes: bodyBytes }),
    connections: limitConnections(server, connections, () => observeDrop('connection')),
    bodies: limitBodies(bodyBytes, () => observeDrop('body')),
    sending: limitResponses(timeoutMs, answerBytes, () => observeDrop('answer')),
    isClosing: () => !server.listening,
  };
}

/** Returns false after destroying a connection with too many unanswered requests. */
function takeConnection({ connections }: Edge, request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  response.once('close', () => connections.release(socket));
  if (connections.serve(request) <= mostUnanswered) return true;
  socket.destroy();
  return false;
}

// Pages, files, probes and redirects, for GET and HEAD.

interface Found {
  /** The path in the table of routes. */
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

/** `allowed` returns the methods that a path supports, for the `Allow` header. */
function serveRoute(
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
