import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { consolePath, live } from '@freebets/contract';
import { openFairWork } from '../calls/fair-work.ts';
import type { Route, Routes } from '../calls/page.ts';
import { openLive } from '../events/live/api.ts';
import { signOnRoutes } from '../people/api/single-sign-on.ts';
import { boundBodies } from './bodies.ts';
import { isPlainHttp, refuseBrokenHttp } from './broken-http.ts';
import { boundConnections } from './connections.ts';
import { consoleRoutes } from './console-pages.ts';
import { type Edge, openExchange, refuseEarly } from './exchange.ts';
import { operationsByPath } from './operations.ts';
import { pageRoutes } from './pages/pages.ts';
import { pathOf, serveRoute } from './routes.ts';
import { boundAnswers, discardBody } from './sending.ts';
import { serveOperation } from './serve-operation.ts';
import type { AllServices } from './services.ts';
import { serveStream } from './streams.ts';

// The HTTP server. A POST is an operation, a GET is a page or the stream of events.

const keepAliveMs = 72_000;
/** Node looks for connections past their time this often within it. */
const checksInTime = 30;

/** The proxy form of a request names the host too. */
const wholeAddress = /^https?:\/\/[^/?#]*/i;

const livePath = consolePath + live.path;

/** Each is a request and a response in memory, and the responses before it may be unread. Browsers do not pipeline. */
const mostUnanswered = 32;

export interface App {
  server: Server;
  /** Ends the streams, so that the server can close. */
  endStreams(): Promise<void>;
}

export function buildApp(services: AllServices, probes: Routes = new Map()): App {
  const { timeoutMs } = services.limits;
  const server = createServer({
    // Without the header Node would respond by itself, without a body.
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
    if (operationsByPath.has(path)) return 'POST';
    if (path === livePath) return 'GET';
    return routes.has(path) ? 'GET, HEAD' : undefined;
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/')) request.url = request.url?.replace(wholeAddress, '') ?? '';
    const path = pathOf(request.url);
    const operation = request.method === 'POST' ? operationsByPath.get(path) : undefined;
    if (!isPlainHttp(request)) {
      refuseEarly(openExchange(edge, 'unknown', undefined, request, response), { error: 'invalid_request' });
    } else if (operation !== undefined && operation.staff === undefined) {
      serveOperation(edge, operation, request, response);
    } else if (hasRoom(edge, request, response)) {
      if (operation !== undefined) return serveOperation(edge, operation, request, response);
      discardBody(request, response);
      if (request.method === 'GET' && path === livePath) serveStream(edge, streams, request, response);
      else serveRoute(edge, routes, allowed, request, response);
    }
  });
  // An unknown expectation is no reason to refuse.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error, socket) =>
    refuseBrokenHttp(edge, error, socket as Parameters<typeof refuseBrokenHttp>[2]),
  );
  return { server, endStreams: streams.stop };
}

/** For bodies with many items. A slice is short compared with the response time that callers expect. */
const examining = { sliceMs: 2, queueSize: 1000 };

/** Requests per second of one person, in all of their browsers: many more than a page needs. */
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
    connections: boundConnections(server, connections, () => observeDrop('connection')),
    bodies: boundBodies(bodyBytes, () => observeDrop('body')),
    sending: boundAnswers(timeoutMs, answerBytes, () => observeDrop('answer')),
    isClosing: () => !server.listening,
  };
}

/** Destroys a connection with too many requests that wait for their responses. */
function hasRoom({ connections }: Edge, request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  response.once('close', () => connections.rest(socket));
  if (connections.serve(request) <= mostUnanswered) return true;
  socket.destroy();
  return false;
}
