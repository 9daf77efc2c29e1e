import { randomUUIDv7 } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { basePath, errorBody, operations, type Refusal } from '@freebets/contract';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../sql/faults.ts';
import { answer, type Exchange, serveOperation } from './exchange.ts';
import { addPages } from './pages.ts';
import { rateLimiter } from './rate-limit.ts';
import type { Services } from './services.ts';

// The edge: one loop over the table of operations, and the order of checks that every request goes through. Path, method
// and content type are looked at before the body is read; the rest is in exchange.ts.

const maxBodyBytes = 1024 * 1024;
const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

export function buildApp(services: Services): FastifyInstance {
  const app = Fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    return503OnClosing: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUIDv7();
    },
    routerOptions: { maxParamLength: 512 },
    // Node would answer for itself, without a body, where the header is missing.
    http: { requireHostHeader: false },
    frameworkErrors: (_error, request, reply) =>
      answer(reply.header('x-request-id', request.id), request.id, { error: 'unknown_operation' }),
    clientErrorHandler: refuseBrokenHttp,
  });
  // An expectation that we do not know is not one that we refuse.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const methods = new Map<string, string>();
  app.addHook('onRoute', ({ url, method }) => {
    if (method === 'GET' || method === 'POST') methods.set(url, method === 'GET' ? 'GET, HEAD' : method);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('exchange', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.is404) return refuseUnknownPath(methods, request, reply);
    return undefined;
  });
  app.addHook('onResponse', async (request, reply) => report(services, request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => answer(reply, request.id, refusalOf(services, error)));
  app.setNotFoundHandler((request, reply) => answer(reply, request.id, { error: 'unknown_operation' }));
  addOperations(app, services);
  addPages(app, services);
  return app;
}

function addOperations(app: FastifyInstance, services: Services): void {
  const limiter = rateLimiter(services.rate.limit, services.rate.burst);
  for (const [name, operation] of Object.entries(operations)) {
    app.post(basePath + operation.path, {
      onRequest: async (request, reply) => {
        request.exchange = { operation: name, caller: undefined };
        if (services.isDraining()) {
          reply.header('connection', 'close');
          return answer(reply, request.id, { error: 'unavailable' });
        }
        return isJson(request) ? undefined : answer(reply, request.id, { error: 'not_json' });
      },
      handler: (request, reply) => serveOperation({ ...services, limiter }, request, reply),
    });
  }
}

function isJson({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity' && /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
}

function refuseUnknownPath(methods: Map<string, string>, request: FastifyRequest, reply: FastifyReply) {
  const allowed = methods.get(request.url.split('?', 1)[0] ?? '');
  if (allowed === undefined) return answer(reply, request.id, { error: 'unknown_operation' });
  return answer(reply.header('allow', allowed), request.id, { error: 'method_not_allowed' });
}

function refusalOf({ log }: Services, error: FastifyError): Refusal {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { error: 'body_too_large' };
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return { error: 'not_json' };
  if (isDatabaseAway(error)) return { error: 'unavailable' };
  if (error.statusCode !== undefined && error.statusCode < 500) return { error: 'invalid_request' };
  log.error({ fault: faultOf(error) }, 'a request failed');
  return { error: 'internal_error' };
}

/** What helps to find the cause, and nothing of what the caller sent: PostgreSQL's messages can quote values. */
export function faultOf(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as { code?: string; constraint?: string; table?: string };
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return { type: error.name, ...(code === undefined && { message: error.message }), code, constraint, table, frames };
}

/** One line a request: who, what, how it ended; never a secret, a signature or a body. Pages and probes are noise. */
function report({ log, observe }: Services, request: FastifyRequest, reply: FastifyReply): void {
  const { exchange } = request;
  const page = request.routeOptions.url;
  const operation = exchange?.operation ?? (request.is404 || page === undefined ? 'unknown' : page);
  const ms = Math.round(reply.elapsedTime * 1000) / 1000;
  observe(operation, reply.statusCode, ms / 1000);
  log[exchange === null && !request.is404 ? 'debug' : 'info']({
    request_id: request.id,
    ...(exchange?.caller && { [exchange.caller.kind]: exchange.caller.id }),
    operation,
    status: reply.statusCode,
    ms,
  });
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

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange | null;
  }
}
