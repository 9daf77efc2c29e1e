import { randomUUIDv7 } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import {
  basePath,
  consolePath,
  type ErrorName,
  errorBody,
  errors,
  type OperationName,
  operations,
  type Refusal,
} from '@freebets/contract';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { openFairWork } from '../calls/fair-work.ts';
import { isDatabaseUnavailable } from '../engine/faults.ts';
import { type BodiesUnderWay, boundBodies } from './bodies.ts';
import { boundConnections } from './connections.ts';
import { addConsolePages } from './console-pages.ts';
import { type Edge, requestIdOf, serveOperation } from './exchange.ts';
import { membersOf } from './log-line.ts';
import { addPages } from './pages/pages.ts';
import {
  boundAnswer,
  boundAnswers,
  discardBody,
  endDiscarding,
  lastWordsMs,
  type Sending,
  sendBeforeEnd,
} from './sending.ts';
import type { AllServices, EdgeServices } from './services.ts';
import { offered } from './staff/operations.ts';
import { addConsole } from './staff/staff.ts';

// The edge. Operations are served by exchange.ts; Fastify has the rest: pages, probes, and whatever is not there.

const keepAliveMs = 72_000;
/** Node looks for connections whose time is over so many times within it. */
const checksInTime = 30;

const operationsByPath = new Map(
  Object.entries(operations).map(([name, { path }]) => [basePath + path, name as OperationName]),
);

const staffPaths = new Set(offered.map(({ path }) => consolePath + path));

const pathOf = (url = ''): string => {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
};

/** An address may also come whole, with the host. */
const wholeAddress = /^https?:\/\/[^/?#]*/i;

const isOfStaff = ({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): boolean =>
  method === 'POST' && staffPaths.has(pathOf(url));

/** No route of Fastify's has a schema, and the compilers that it would load for one take 25 to 40 ms of a start. */
function noSchema(): never {
  throw new Error('a route has a schema, and no compiler for it');
}

export function buildApp(services: AllServices): FastifyInstance {
  const { timeoutMs, answerBytes, bodyBytes } = services.limits;
  const sending = boundAnswers(timeoutMs, answerBytes, () => services.observeDrop('answer'));
  const bodies = boundBodies(bodyBytes, () => services.observeDrop('body'));
  const app = Fastify({
    return503OnClosing: false,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: 512 },
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    serverFactory: (servePage) => openServer({ ...services, sending, bodies }, servePage),
    frameworkErrors(_error, request, reply) {
      // These are sent past the hooks.
      boundAnswer(sending, reply.raw, 0);
      refuse(reply.header('x-request-id', request.id), 'unknown_operation');
    },
    clientErrorHandler: (error, socket) => refuseBrokenHttp(services, error, socket),
  });
  const methods = new Map([...operationsByPath.keys()].map((path) => [path, 'POST']));
  app.addHook('onRoute', ({ url, method }) => {
    const allow = (added: string) => methods.set(url, [...(methods.get(url)?.split(', ') ?? []), added].join(', '));
    if (method === 'GET') allow('GET, HEAD');
    if (method === 'POST') allow('POST');
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.is404) return refuseUnknownPath(methods, request, reply);
    // An operation has one address. Fastify would also find it by another, whose body was not taken for one that is wanted.
    return request.method === 'POST' && !isOfStaff(request) ? reply.callNotFound() : undefined;
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    boundAnswer(sending, reply.raw, Buffer.byteLength((payload as string | Buffer | null) ?? ''));
  });
  app.addHook('onResponse', async (request, reply) => report(services, request, reply));
  app.setErrorHandler((error: FastifyError, request, reply) => refuse(reply, refusalOf(services, error, request.id)));
  app.setNotFoundHandler((request, reply) => refuseUnknownPath(methods, request, reply));
  addPages(app, services, sending);
  addConsole(app, { ...services, sending, bodies });
  addConsolePages(app, services, sending);
  return app;
}

/** For bodies with many items. A slice is short compared with the response time that callers expect. */
const examining = { sliceMs: 2, queueSize: 1000 };

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

interface Bounded extends AllServices {
  sending: Sending;
  bodies: BodiesUnderWay;
}

function openServer(services: Bounded, servePage: Serve): Server {
  const { timeoutMs, connections, bodyBytes } = services.limits;
  const server = createServer({
    // Node would answer for itself, without a body, where the header is missing.
    requireHostHeader: false,
    headersTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    connectionsCheckingInterval: Math.ceil(timeoutMs / checksInTime),
    keepAliveTimeout: keepAliveMs,
  });
  const edge: Edge = {
    ...services,
    limiter: services.openLimiter(services.rate.limit, services.rate.burst),
    itemLimiter: services.openLimiter(services.itemRate.limit, services.itemRate.burst),
    fairWork: openFairWork({ ...examining, waitingBytes: bodyBytes }),
    isClosing: () => !server.listening,
    connections: boundConnections(server, connections, () => services.observeDrop('connection')),
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/')) request.url = request.url?.replace(wholeAddress, '') ?? '';
    const operation = request.method === 'POST' ? operationsByPath.get(pathOf(request.url)) : undefined;
    if (!isPlainHttp(request)) refuseHead(services, request, response);
    else if (operation !== undefined) serveOperation(edge, operation, request, response);
    else if (hasRoomForPage(edge, request, response)) {
      if (!isOfStaff(request)) discardBody(request, response);
      servePage(request, response);
    }
  });
  // An expectation that we do not know is not one that we refuse.
  return server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Each is a request and an answer in memory, and nothing need have been read of those before it. No browser asks so. */
const mostUnanswered = 32;

/** Beyond them the connection ends. */
function hasRoomForPage({ connections }: Edge, request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  response.once('close', () => connections.rest(socket));
  if (connections.serve(request) <= mostUnanswered) return true;
  socket.destroy();
  return false;
}

/**
 * What a proxy in front could read in another way than Node does, and so take for two requests what is one here: another
 * version, two hosts or in HTTP/1.1 none, a body whose end is not told by its chunks.
 */
function isPlainHttp({ httpVersion, rawHeaders, headers }: IncomingMessage): boolean {
  const isOld = httpVersion === '1.0';
  if (httpVersion !== '1.1' && !isOld) return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked')) return false;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (isOld && hosts === 0);
}

function refuseHead({ log, observe }: EdgeServices, request: IncomingMessage, response: ServerResponse): void {
  const id = requestIdOf(request);
  const error = 'invalid_request';
  const { status } = errors[error];
  const body = JSON.stringify(errorBody({ error }, id));
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, 'x-request-id': id, connection: 'close' });
  sendBeforeEnd(request, response, body);
  observe('unknown', status, 0, error);
  log.request(membersOf({ request_id: id, operation: 'unknown', status, error }));
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

function refusalOf({ onFault }: EdgeServices, error: FastifyError, requestId: string): Refusal['error'] {
  if (error.statusCode !== undefined && error.statusCode < 500) return 'invalid_request';
  onFault(error, requestId);
  return isDatabaseUnavailable(error) ? 'unavailable' : 'internal_error';
}

/** Pages and probes are noise. */
function report({ log, observe }: EdgeServices, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status } = reply;
  const { operation: ofStaff, person, refusedWith } = request.staff ?? {};
  const page = ofStaff ?? request.routeOptions.url;
  const operation = request.is404 || page === undefined ? 'unknown' : page;
  const ms = Math.round(reply.elapsedTime * 1000) / 1000;
  const error = refusedWith ?? wordOf(status);
  observe(operation, status, ms / 1000, error);
  const who = person && { staff_id: person.staff_id };
  const level = request.is404 || ofStaff !== undefined ? 'info' : 'debug';
  log[level]({ request_id: request.id, ...who, operation, status, ...(error && { error }), ms });
}

/** Outside the operations each status stands for one error, the first in the table. */
const wordOf = (status: number): ErrorName | '' =>
  (Object.keys(errors) as ErrorName[]).find((name) => errors[name].status === status) ?? '';

const waitingToRefuse = new WeakSet<Socket>();

/**
 * After the answer to a good request before it on the same connection, where one is on its way. The other side need not
 * close, so the connection is destroyed soon after.
 */
function refuseBrokenHttp(
  services: EdgeServices,
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: ServerResponse },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (endDiscarding(socket)) return;
  const underWay = socket._httpMessage;
  if (underWay?.req.complete && !underWay.writableEnded) {
    // Whatever else comes meanwhile is as broken, and is refused with it.
    if (waitingToRefuse.has(socket)) return;
    waitingToRefuse.add(socket);
    underWay.once('finish', () => {
      waitingToRefuse.delete(socket);
      refuseBrokenHttp(services, error, socket);
    });
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // A browser opens connections ahead of what it will ask, and would take the refusal of nothing for the answer to what it asks just then.
  if (isLate && socket.bytesRead === 0) return void socket.destroy();
  const id = randomUUIDv7();
  // What was held up on its way is as good as ever, and may come again.
  const refusal: Refusal = isLate
    ? { error: 'unavailable', details: [{ field: '', reason: 'did not arrive in time' }] }
    : { error: 'invalid_request' };
  const { status } = errors[refusal.error];
  const body = JSON.stringify(errorBody(refusal, id));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${isLate ? 'Retry-After: 1\r\n' : ''}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), lastWordsMs).unref();
  services.observe('unknown', status, 0, refusal.error);
  const reason = isLate ? 'late' : (error.code ?? error.message);
  const line = { request_id: id, operation: 'unknown', status, error: refusal.error, reason };
  services.log.request(membersOf(line));
}
