import { randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  type Caller as CallerField,
  type ErrorName,
  errorBody,
  errors,
  type FieldError,
  type Least,
  maxDetails,
  type OperationName,
  type Refusal,
  type StaffOperationName,
  signatureHeader,
} from '@freebets/contract';
import { Refused } from '../audit/change.ts';
import type { Batch, Download, Rendered } from '../calls/call.ts';
import type { FairWork, Slice } from '../calls/fair-work.ts';
import type { SignedIn } from '../calls/signed-in.ts';
import { isDatabaseUnavailable } from '../engine/faults.ts';
import { tracing } from '../engine/tracing.ts';
import type { Outcome } from '../primitives/outcome.ts';
import type { RateLimiter } from '../primitives/rate-limit.ts';
import { type Caller, callerAddress, logReason, type Reason } from './authentication.ts';
import type { Connections } from './connections.ts';
import type { AllServices } from './services.ts';
import { type BodyBudget, discardBody, type Sending, sendBeforeEnd, sendBody } from './transfer.ts';

// One request and its response. All responses go through `send` and `refuse`, which log and count the request.

export interface Edge extends AllServices {
  /** Requests of partners and game providers. */
  limiter: RateLimiter | undefined;
  itemLimiter: RateLimiter | undefined;
  /** Requests of staff members. */
  staffLimiter: RateLimiter | undefined;
  fairWork: FairWork;
  connections: Connections;
  bodies: BodyBudget;
  sending: Sending;
  /** The server accepts no more connections, and each open one ends with its next response. */
  isClosing(): boolean;
}

/** A row of the table of operations. */
export interface Operation extends Authenticator {
  name: OperationName | StaffOperationName;
  path: string;
  /** The field of the body that identifies the caller to `withBody`. */
  idField: CallerField;
  maxBody: number;
  /** Undefined for partners and game providers. */
  staff: StaffAccess | undefined;
  /** The content type of a file; undefined for JSON. */
  fileType: string | undefined;
  batch: Batch<Edge> | undefined;
  /** A promise only if the body is validated in slices. */
  validate(body: unknown, slice: Slice): FieldError[] | Promise<FieldError[]>;
  carryOut(exchange: OperationExchange, body: Body, slice: Slice): Promise<Outcome | Rendered | Download>;
}

export interface StaffAccess {
  /** The lowest role that may call the operation. */
  least: Least;
  /** A reason must be given. */
  changes: boolean;
  /** Calls do not extend the session. */
  isPolled: boolean;
}

/** Identifies and checks the caller. */
export interface Authenticator {
  /** Refuses before a byte of the body is read. */
  beforeBody?(exchange: OperationExchange): Promise<Refusal | undefined>;
  /** `idAt` is the position of the value of `idField` in the body, or -1. */
  withBody(exchange: OperationExchange, body: Buffer, idAt: number): Promise<Refusal | undefined> | Refusal | undefined;
}

export type Body = Record<string, unknown>;

export interface Exchange {
  edge: Edge;
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  startedAt: number;
  /** The operation or the path, in metrics and the log. */
  name: string;
  operation: Operation | undefined;
  headers: OutgoingHttpHeaders;
  /** Pages are logged at level `debug`. */
  isQuiet: boolean;
  /** Refusals are delayed while the caller has not signed in. */
  isPaced: boolean;
  /** The connection counts this response as owed until it has been sent. */
  isOwed: boolean;
  /** When the request stops waiting in queues. */
  deadline: number;
  /** The caller that the request names. */
  claimed: Caller | undefined;
  refusedFor: Reason | undefined;
  /** The claimed caller after its signature was verified. */
  caller: Caller | undefined;
  /** Identifies the caller in fair queues; empty until the caller is known. */
  key: string;
  person: SignedIn | undefined;
  /** A staff member's reason for a change. */
  reason: string | null;
  span: ReturnType<NonNullable<typeof tracing>['startRequest']> | undefined;
}

export interface OperationExchange extends Exchange {
  operation: Operation;
}

const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** The id from the request if it is well formed, otherwise a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUIDv7();
}

export function openExchange<O extends Operation | undefined>(
  edge: Edge,
  name: string,
  operation: O,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange & { operation: O } {
  const requestId = requestIdOf(request);
  return {
    edge,
    request,
    response,
    requestId,
    startedAt: performance.now(),
    name,
    operation,
    headers: { 'x-request-id': requestId },
    isQuiet: false,
    isPaced: false,
    isOwed: false,
    deadline: Number.POSITIVE_INFINITY,
    claimed: undefined,
    refusedFor: undefined,
    caller: undefined,
    key: '',
    person: undefined,
    reason: null,
    span: undefined,
  };
}

export const addressOf = ({ request, edge }: Exchange): string | null =>
  callerAddress(request, edge.trustedProxies) ?? null;

export const invalid = (details: FieldError[]): Refusal => ({ error: 'invalid_request', details });

/** Refuses before the body has arrived, and ends the connection. */
export function refuseEarly(exchange: Exchange, refusal: Refusal): void {
  exchange.headers.connection = 'close';
  refuse(exchange, refusal);
}

export function refuse(exchange: Exchange, refusal: Refusal): void {
  if (!exchange.isPaced || exchange.person !== undefined) return void sendRefusal(exchange, refusal);
  exchange.edge.anonymous
    .pace(addressOf(exchange))
    .then(() => sendRefusal(exchange, refusal))
    .catch((error) => {
      exchange.edge.onFault(error, exchange.requestId);
      exchange.response.destroy();
    });
}

function sendRefusal(exchange: Exchange, { error, details }: Refusal): void {
  const { status } = errors[error];
  const publicUrl = exchange.edge.publicUrl();
  if (status === 503) exchange.headers['retry-after'] = '1';
  const refusal = details === undefined ? { error } : { error, details: details.slice(0, maxDetails) };
  exchange.headers['content-type'] = json;
  send(exchange, { status, body: JSON.stringify(errorBody(refusal, exchange.requestId, publicUrl)), error });
}

export function fail(exchange: Exchange, error: unknown): void {
  const { edge, response, requestId } = exchange;
  if (error instanceof Refused && !response.headersSent) return void refuse(exchange, error.refusal);
  edge.onFault(error, requestId);
  if (response.headersSent) response.destroy();
  else refuse(exchange, { error: isDatabaseUnavailable(error) ? 'unavailable' : 'internal_error' });
}

export const json = 'application/json; charset=utf-8';

export interface Sent {
  status: number;
  error?: ErrorName;
  /** The refused items of a batch, by error. */
  refused?: Record<string, number> | undefined;
}

interface Answer extends Sent {
  body: string | Buffer;
  /** All callers share one copy of the body. */
  isShared?: boolean | undefined;
}

export function send(exchange: Exchange, answer: Answer): void {
  const { edge, request, response, headers } = exchange;
  const { status, body, isShared = false } = answer;
  if (edge.isClosing()) headers.connection = 'close';
  if (status !== 304) headers['content-length'] = Buffer.byteLength(body);
  response.writeHead(status, headers);
  const whenGone = () => {
    if (exchange.isOwed) edge.connections.release(request.socket);
  };
  if (headers.connection === 'close') sendBeforeEnd(request, response, body);
  else {
    if (!request.readableEnded) discardBody(request, response);
    sendBody(edge.sending, response, { body, isShared, whenGone });
  }
  report(exchange, answer);
}

/** Logs and counts the request after its response, so that response times do not reveal the reason of a refusal. */
export function report(exchange: Exchange, sent: Sent): void {
  const { edge, name, startedAt, requestId } = exchange;
  const { status, error = '' } = sent;
  const ms = Math.round((performance.now() - startedAt) * 1000) / 1000;
  edge.observe(name, status, ms / 1000, error);
  if (exchange.span !== undefined) tracing?.endRequest(exchange.span, status, error);
  if (exchange.isQuiet) edge.log.debug({ request_id: requestId, operation: name, status, ...(error && { error }), ms });
  else edge.log.request(lineOf(exchange, sent, ms));
}

/** One line per request, without secrets, signatures and bodies. Unescaped values are our own or have a known form. */
function lineOf(exchange: Exchange, { status, error, refused }: Sent, ms: number): string {
  const { requestId, caller, person, name } = exchange;
  let who = '';
  if (caller !== undefined) who = `"${caller.kind}":${JSON.stringify(caller.id)},`;
  else if (person !== undefined) who = `"staff_id":"${person.staff_id}",`;
  const line = `"request_id":"${requestId}",${who}"operation":"${name}","status":${status},"ms":${ms}`;
  if (error === undefined && refused === undefined) return line;
  return `${line},${membersOf({ error, refused, ...claimOf(exchange, error) })}`;
}

const longestClaim = 64;

/** The claimed identity of a refused caller, and the reason of the refusal. */
function claimOf(exchange: Exchange, error: ErrorName | undefined): object {
  const { edge, claimed, refusedFor, request } = exchange;
  if (error !== 'forbidden' || claimed === undefined || refusedFor === undefined) return {};
  const { kind, id } = claimed;
  const reason = logReason(
    refusedFor,
    edge.accessOf(claimed),
    request.headers[signatureHeader],
    edge.callerExists(claimed),
  );
  const address = reason === 'address_not_allowed' ? (addressOf(exchange) ?? undefined) : undefined;
  return {
    [`claimed_${kind}`]: typeof id === 'string' ? id.slice(0, longestClaim).toWellFormed() : id,
    reason,
    address,
  };
}

/** The members of an object as JSON, without the braces, so that a log line can prepend its own members. */
export const membersOf = (fields: object): string => JSON.stringify(fields).slice(1, -1);
