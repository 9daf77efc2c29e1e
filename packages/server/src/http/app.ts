import { randomUUIDv7 } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { basePath, errorBody, errors, type OperationName, operations, type Refusal } from '@freebets/contract';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import pino, { type Logger } from 'pino';
import { requestIdOf, serveOperation } from './exchange.ts';
import { faultOf } from './fault.ts';
import { addPages } from './pages.ts';
import { rateLimiter } from './rate-limit.ts';
import type { Services } from './services.ts';

// The edge. Operations are served by exchange.ts; Fastify has the rest: pages, probes, and whatever is not there.

const requestTimeoutMs = 30_000;
const keepAliveMs = 72_000;

const operationsByPath = new Map(
  Object.entries(operations).map(([name, { path }]) => [basePath + path, name as OperationName]),
);

const pathOf = (url = ''): string => {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
};

export function buildApp(services: Services): FastifyInstance {
  const limiter = rateLimiter(services.rate.limit, services.rate.burst);
  const edge = { ...services, limiter, logAccess: accessLog(services.log) };
  const app = Fastify({
    return503OnClosing: false,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: 512 },
    serverFactory: (pages) => {
      // Node would answer for itself, without a body, where the header is missing.
      const server = createServer(
        { requireHostHeader: false, requestTimeout: requestTimeoutMs },
        (request, response) => {
          const operation = request.method === 'POST' ? operationsByPath.get(pathOf(request.url)) : undefined;
          if (operation === undefined) return pages(request, response);
          serveOperation(edge, operation, request, response);
        },
      );
      server.keepAliveTimeout = keepAliveMs;
      // An expectation that we do not know is not one that we refuse.
      return server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    },
    frameworkErrors: (_error, request, reply) => refuse(reply.header('x-request-id', request.id), 'unknown_operation'),
    clientErrorHandler: refuseBrokenHttp,
  });
  const methods = new Map([...operationsByPath.keys()].map((path) => [path, 'POST']));
  app.addHook('onRoute', ({ url, method }) => {
    if (method === 'GET') methods.set(url, 'GET, HEAD');
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.is404) return refuseUnknownPath(methods, request, reply);
    return undefined;
  });
  app.addHook('onResponse', async (request, reply) => report(services, request, reply));
  app.setErrorHandler((error: FastifyError, _request, reply) => refuse(reply, refusalOf(services, error)));
  app.setNotFoundHandler((_request, reply) => refuse(reply, 'unknown_operation'));
  addPages(app, services);
  return app;
}

/** Straight to where the log goes. */
function accessLog(log: Logger): (line: string) => void {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  return log.isLevelEnabled('info') && stream !== undefined ? (line) => stream.write(line) : () => {};
}

function refuse(reply: FastifyReply, error: Refusal['error']): FastifyReply {
  const body = errorBody({ error }, reply.request.id);
  return reply.code(errors[error].status).type('application/json; charset=utf-8').send(body);
}

function refuseUnknownPath(methods: Map<string, string>, request: FastifyRequest, reply: FastifyReply) {
  const allowed = methods.get(pathOf(request.url));
  if (allowed === undefined) return refuse(reply, 'unknown_operation');
  return refuse(reply.header('allow', allowed), 'method_not_allowed');
}

function refusalOf({ log }: Services, error: FastifyError): Refusal['error'] {
  if (error.statusCode !== undefined && error.statusCode < 500) return 'invalid_request';
  log.error({ fault: faultOf(error) }, 'a request failed');
  return 'internal_error';
}

/** Pages and probes are noise. */
function report({ log, observe }: Services, request: FastifyRequest, reply: FastifyReply): void {
  const page = request.routeOptions.url;
  const operation = request.is404 || page === undefined ? 'unknown' : page;
  const ms = Math.round(reply.elapsedTime * 1000) / 1000;
  observe(operation, reply.statusCode, ms / 1000);
  log[request.is404 ? 'info' : 'debug']({ request_id: request.id, operation, status: reply.statusCode, ms });
}

/** After the answer to a good request before it on the same connection, where one is on its way. */
function refuseBrokenHttp(error: Error & { code?: string }, socket: Socket & { _httpMessage?: ServerResponse }): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const underWay = socket._httpMessage;
  if (underWay?.req.complete && !underWay.writableEnded) {
    return void underWay.once('finish', () => refuseBrokenHttp(error, socket));
  }
  const id = randomUUIDv7();
  const body = JSON.stringify(errorBody({ error: 'invalid_request' }, id));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
  );
}
