import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  basePath,
  type ErrorName,
  errorBody,
  errors,
  type FieldError,
  maxDetails,
  type OperationName,
  operations,
  type Refusal,
  signatureHeader,
} from '@freebets/contract';
import { Rendered } from '../calls/call.ts';
import { type FairWork, type Slice, undivided } from '../calls/fair-work.ts';
import { validateInSlices, validateRequest } from '../calls/validation.ts';
import { isDatabaseUnavailable } from '../engine/faults.ts';
import { tracing } from '../engine/tracing.ts';
import { subjectOfAddress } from '../primitives/networks.ts';
import type { RateLimiter, RateVerdict } from '../primitives/rate-limit.ts';
import { type Call, type Caller, type Reason, whyRefused, wordFor } from './authentication.ts';
import { type BodiesUnderWay, gatherBody, isJson, maxBodyBytes, smallBytes } from './bodies.ts';
import { callerAddress } from './caller-address.ts';
import type { Connections } from './connections.ts';
import { batches, carryOut } from './handlers.ts';
import { membersOf } from './log-line.ts';
import { scalarAt, scanObject } from './scan.ts';
import { discardBody, type Sending, sendBeforeEnd, sendBody } from './sending.ts';
import type { AllServices } from './services.ts';

// One request for one operation, from its head to its answer, straight on node:http. What Fastify does for every request
// took about a tenth of the time, and an operation needs none of it.

export interface Edge extends AllServices {
  limiter: RateLimiter | undefined;
  itemLimiter: RateLimiter | undefined;
  fairWork: FairWork;
  connections: Connections;
  /** No more connections are taken: those that are there end with their next answer. */
  isClosing(): boolean;
  bodies: BodiesUnderWay;
  sending: Sending;
}

interface Exchange {
  edge: Edge;
  operation: OperationName;
  requestId: string;
  startedAt: number;
  request: IncomingMessage;
  response: ServerResponse;
  /** It has come whole, and is being served. */
  isOwed: boolean;
  /** It waits for its turns until then, in all. */
  deadline: number;
  /** Who it says it is. */
  claimed: Caller | undefined;
  /** Why it is not believed. */
  refusedFor: Reason | undefined;
  /** Known only once its signature has been found good. */
  caller: Caller | undefined;
  headers: Record<string, string | number>;
  /** Where requests are traced. */
  span: ReturnType<NonNullable<typeof tracing>['startRequest']> | undefined;
}

type Body = Record<string, unknown>;

const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's own, if it is well formed. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUIDv7();
}

/** Path and method are right. Content type · size · then what stands in the body; the first that fails answers. */
export function serveOperation(
  edge: Edge,
  operation: OperationName,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const requestId = requestIdOf(request);
  const startedAt = performance.now();
  const exchange: Exchange = {
    edge,
    operation,
    requestId,
    startedAt,
    request,
    response,
    isOwed: false,
    deadline: Number.POSITIVE_INFINITY,
    claimed: undefined,
    refusedFor: undefined,
    caller: undefined,
    headers: { 'x-request-id': requestId },
    span: tracing?.startRequest(operation, request.headers),
  };
  if (edge.isDraining()) refuseEarly(exchange, { error: 'unavailable' });
  else if (!isJson(request.headers)) {
    discardBody(request, response);
    refuse(exchange, { error: 'not_json' });
  } else if (Number(request.headers['content-length']) > maxBodyBytes)
    refuseEarly(exchange, { error: 'body_too_large' });
  else {
    gatherBody(request, edge.bodies, (body) => {
      if (Buffer.isBuffer(body)) receive(exchange, body);
      else refuseEarly(exchange, body);
    });
  }
}

/** Larger bodies, and bodies with more items, are examined in turn with those of other callers. */
const examinedAtOnce = { bytes: smallBytes, items: 16 };

function receive(exchange: Exchange, bytes: Buffer): void {
  exchange.isOwed = true;
  exchange.deadline = performance.now() + exchange.edge.limits.deadlineMs;
  exchange.edge.connections.serve(exchange.request);
  try {
    if (bytes.length > examinedAtOnce.bytes) identifyInTurn(exchange, bytes).catch((error) => fail(exchange, error));
    else proceed(exchange, bytes, identify(exchange, bytes));
  } catch (error) {
    fail(exchange, error);
  }
}

/** Takes the turn of the network address (of an IPv6 address, its /64), because the caller is not known yet. */
async function identifyInTurn(exchange: Exchange, bytes: Buffer): Promise<void> {
  const { edge, request, deadline } = exchange;
  const waiting = { bytes: bytes.length, deadline };
  const address = subjectOfAddress(callerAddress(request, edge.trustedProxies) ?? null);
  const identified = await edge.fairWork.run(address, waiting, async () => identify(exchange, bytes));
  if (identified === undefined) refuse(exchange, { error: 'unavailable' });
  else proceed(exchange, bytes, identified);
}

type Identified = { ok: true; caller: Caller; list: List } | ({ ok: false } & Refusal);

/** What the scan says about the list of a batch. */
interface List {
  items: number;
  /** A dry run. */
  isTried: boolean;
}

/** JSON · the caller's id · signature. Nothing is built from the body before its signature is known. */
function identify(exchange: Exchange, bytes: Buffer): Identified {
  const { edge, operation } = exchange;
  const { caller: kind } = operations[operation];
  const scan = scanObject(bytes, kind);
  if (!scan.ok) return invalid([scan.error]);
  const caller = callerOf(kind, scan.valueAt < 0 ? undefined : scalarAt(bytes, scan.valueAt));
  if (caller === undefined) return invalid([{ field: kind, reason: scan.valueAt < 0 ? 'is missing' : wrongIds[kind] }]);
  exchange.claimed = caller;
  exchange.refusedFor = whyRefused(edge.accessOf(caller), callOf(exchange, bytes));
  if (exchange.refusedFor !== undefined) return { ok: false, error: 'forbidden' };
  exchange.caller = caller;
  return { ok: true, caller, list: scan };
}

/** Rate · schema. Most requests are served in the same turn of the event loop. */
function proceed(exchange: Exchange, bytes: Buffer, identified: Identified): void {
  if (!identified.ok) {
    refuse(exchange, identified);
    return;
  }
  const rate = exchange.edge.limiter?.(keyOf(identified.caller), performance.now());
  const examining =
    rate instanceof Promise
      ? rate.then((verdict) => examine(exchange, bytes, identified, verdict))
      : examine(exchange, bytes, identified, rate);
  examining.catch((error) => fail(exchange, error));
}

async function examine(
  exchange: Exchange,
  bytes: Buffer,
  { caller, list }: Extract<Identified, { ok: true }>,
  rate: RateVerdict | undefined,
): Promise<void> {
  if (isOverRate(exchange, 'caller', exchange.edge.rate, rate)) refuse(exchange, { error: 'too_many_requests' });
  else if (bytes.length > examinedAtOnce.bytes || list.items > examinedAtOnce.items) {
    await examineInTurn(exchange, caller, bytes, list);
  } else await examineAtOnce(exchange, caller, bytes, list);
}

const keyOf = ({ kind, id }: Caller): string => `${kind}:${id}`;

async function examineAtOnce(exchange: Exchange, caller: Caller, bytes: Buffer, list: List): Promise<void> {
  const refusal = exchange.operation in batches ? await refusalOfItems(exchange, caller, list) : undefined;
  if (refusal !== undefined) {
    refuse(exchange, refusal);
    return;
  }
  const body = parse(caller, bytes);
  const details = validateRequest(exchange.operation, body);
  if (details.length > 0) refuse(exchange, invalid(details));
  else await serve(exchange, body, undivided);
}

async function examineInTurn(exchange: Exchange, caller: Caller, bytes: Buffer, list: List): Promise<void> {
  const { edge, operation, deadline } = exchange;
  const examined = await edge.fairWork.run(keyOf(caller), { bytes: bytes.length, deadline }, async (slice) => {
    const refusal = await refusalOfItems(exchange, caller, list);
    if (refusal !== undefined) return refusal;
    const body = parse(caller, bytes);
    if (slice.isOver()) await slice.pause();
    const details = await validateInSlices(operation, body, slice);
    if (details.length > 0) return invalid(details);
    if (slice.isOver()) await slice.pause();
    if (!batches[operation]?.endsSlice) slice.end();
    await serve(exchange, body, slice);
    return { ok: true } as const;
  });
  if (examined === undefined) refuse(exchange, { error: 'unavailable' });
  else if (!examined.ok) refuse(exchange, examined);
}

/** Refuses a batch before anything is built from it if there is no room now, or if it is over the rate of items. */
async function refusalOfItems(exchange: Exchange, caller: Caller, { items, isTried }: List) {
  const { edge, operation } = exchange;
  const { kind, id } = caller;
  const bound = batches[operation];
  if (bound === undefined || kind !== 'client_id' || items > bound.items) return undefined;
  const from = { clientId: id, caller: keyOf(caller) };
  // A dry run needs no room in a lane.
  if (!isTried && !bound.hasRoom(edge, from, items)) return { ok: false, error: 'unavailable' } as const;
  const rate = await edge.itemLimiter?.(`items:${id}`, performance.now(), items);
  return isOverRate(exchange, 'items', edge.itemRate, rate)
    ? ({ ok: false, error: 'too_many_requests' } as const)
    : undefined;
}

function parse(caller: Caller, bytes: Buffer): Body {
  const body: Body = JSON.parse(bytes.toString());
  assert(body[caller.kind] === caller.id, 'the caller who is checked is the caller who is served');
  return body;
}

const callOf = ({ edge, operation, request }: Exchange, body: Buffer): Call => ({
  path: basePath + operations[operation].path,
  body,
  headers: request.headers,
  nowMs: Date.now(),
  address: () => callerAddress(request, edge.trustedProxies),
});

const invalid = (details: FieldError[]): { ok: false } & Refusal => ({ ok: false, error: 'invalid_request', details });

const wrongIds: Record<Caller['kind'], string> = {
  client_id: 'must be a whole number',
  provider_id: 'must be text',
};

function callerOf(kind: Caller['kind'], id: unknown): Caller | undefined {
  if (kind === 'client_id') return Number.isSafeInteger(id) ? { kind, id: id as number } : undefined;
  return typeof id === 'string' ? { kind, id } : undefined;
}

async function serve(exchange: Exchange, body: Body, slice: Slice): Promise<void> {
  const answer = await answerOf(exchange, body, slice);
  if (answer instanceof Rendered) {
    Object.assign(exchange.headers, answer.headers);
    send(exchange, { status: answer.status, body: answer.bytes });
  } else if (answer.ok) {
    const refused = refusedItems(answer.value);
    send(exchange, { status: 200, body: JSON.stringify(answer.value), refused });
    // What was only tried is not counted.
    if (!('dry_run' in (answer.value as object))) countRefused(exchange, refused);
  } else {
    refuse(exchange, answer);
  }
}

function answerOf(exchange: Exchange, body: Body, slice: Slice): ReturnType<typeof carryOut> {
  const { edge, operation, request, span, caller } = exchange;
  assert(caller, 'the caller is known');
  const call = { services: edge, headers: request.headers, caller: keyOf(caller), slice, by: undefined };
  if (span === undefined || tracing === undefined) return carryOut(operation, call, body);
  return tracing.within(span, () => carryOut(operation, call, body));
}

/** How many items of a batch were refused, by the word of their error. */
function refusedItems(value: unknown): Record<string, number> | undefined {
  const { results } = value as { results?: { error?: { error: string } }[] };
  if (results === undefined) return undefined;
  let refused: Record<string, number> | undefined;
  for (const { error } of results) {
    if (error === undefined) continue;
    refused ??= {};
    refused[error.error] = (refused[error.error] ?? 0) + 1;
  }
  return refused;
}

function countRefused({ edge, operation }: Exchange, refused: Record<string, number> | undefined): void {
  for (const word in refused) edge.observeRefusedItems(operation, word, refused[word] as number);
}

/** The headers list every limit that the request was held against. */
function isOverRate(
  { headers }: Exchange,
  policy: string,
  { limit, burst }: Edge['rate'],
  verdict: RateVerdict | undefined,
): boolean {
  if (verdict === undefined) return false;
  const { allowed, remaining, retryAfterS } = verdict;
  const add = (name: string, item: string) => {
    headers[name] = name in headers ? `${headers[name]}, ${item}` : item;
  };
  add('ratelimit-policy', `"${policy}";q=${burst};w=${Math.ceil(burst / limit)}`);
  add('ratelimit', `"${policy}";r=${remaining};t=${allowed ? 0 : retryAfterS}`);
  if (!allowed) headers['retry-after'] = retryAfterS;
  return !allowed;
}

function fail(exchange: Exchange, error: unknown): void {
  const { edge, response } = exchange;
  edge.onFault(error, exchange.requestId);
  if (response.headersSent) response.destroy();
  else refuse(exchange, { error: isDatabaseUnavailable(error) ? 'unavailable' : 'internal_error' });
}

/** The body has not come whole, and is not wanted. */
function refuseEarly(exchange: Exchange, refusal: Refusal): void {
  exchange.headers.connection = 'close';
  refuse(exchange, refusal);
}

function refuse(exchange: Exchange, { error, details }: Refusal): void {
  const { status } = errors[error];
  if (status === 503) exchange.headers['retry-after'] = 1;
  const refusal = details === undefined ? { error } : { error, details: details.slice(0, maxDetails) };
  send(exchange, { status, body: JSON.stringify(errorBody(refusal, exchange.requestId)), error });
}

interface Answer {
  status: number;
  body: string | Buffer;
  error?: ErrorName;
  refused?: Record<string, number> | undefined;
}

function send(exchange: Exchange, answer: Answer): void {
  const { edge, operation, startedAt, request, response, headers } = exchange;
  const { status, body, error = '' } = answer;
  if (edge.isClosing()) headers.connection = 'close';
  if (status !== 304) {
    headers['content-type'] = 'application/json; charset=utf-8';
    headers['content-length'] = Buffer.byteLength(body);
  }
  response.writeHead(status, headers);
  const whenGone = () => {
    if (exchange.isOwed) edge.connections.rest(request.socket);
  };
  if (headers.connection === 'close') sendBeforeEnd(request, response, body);
  else sendBody(edge.sending, response, { body, isShared: Buffer.isBuffer(body), whenGone });
  const ms = Math.round((performance.now() - startedAt) * 1000) / 1000;
  edge.observe(operation, status, ms / 1000, error);
  if (exchange.span !== undefined) tracing?.endRequest(exchange.span, status, error);
  edge.log.request(lineOf(exchange, answer, ms));
}

/**
 * One line a request: who, what, how it ended; never a secret, a signature or a body. It is made when the answer has
 * gone, so that why a caller was refused does not show in how long it took. What stands in it unescaped has been matched with
 * the form it must have, or is ours.
 */
function lineOf(exchange: Exchange, answer: Answer, ms: number): string {
  const { requestId, caller, operation } = exchange;
  const { status, error, refused } = answer;
  const who = caller === undefined ? '' : `"${caller.kind}":${JSON.stringify(caller.id)},`;
  const line = `"request_id":"${requestId}",${who}"operation":"${operation}","status":${status},"ms":${ms}`;
  if (error === undefined && refused === undefined) return line;
  return `${line},${membersOf({ error, refused, ...claimOf(exchange, error) })}`;
}

/** Who a refused caller says it is, and why it is not believed. */
function claimOf({ edge, claimed, refusedFor, request }: Exchange, error: ErrorName | undefined): object {
  if (error !== 'forbidden' || claimed === undefined || refusedFor === undefined) return {};
  const { kind, id } = claimed;
  const header = request.headers[signatureHeader];
  const reason = wordFor(refusedFor, edge.accessOf(claimed), header, edge.callerExists(claimed));
  const address = reason === 'address_not_allowed' ? callerAddress(request, edge.trustedProxies) : undefined;
  return {
    [`claimed_${kind}`]: typeof id === 'string' ? id.slice(0, longestClaim).toWellFormed() : id,
    reason,
    address,
  };
}

const longestClaim = 64;
