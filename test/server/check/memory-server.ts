import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import {
  basePath,
  errorBody,
  errors,
  type FieldError,
  type OperationName,
  operations,
  sign,
  timedPrefix,
} from '@freebets/contract';
import { validateRequest } from '../../../packages/server/src/calls/validation.ts';
import { type Memory, openMemory } from '../../../packages/server/src/check/memory.ts';
import { type Outcome, refuse } from '../../../packages/server/src/primitives/outcome.ts';
import { answerOf, type Body, partnerProfile } from './memory-operations.ts';

// A small, correct implementation of the API in memory, with places to inject a fault.

/** The checks of a request, in their order. */
const stages = ['path', 'method', 'type', 'size', 'json', 'caller', 'signature', 'schema'] as const;
type Stage = (typeof stages)[number];

export interface Call {
  operation: OperationName | undefined;
  path: string;
  bytes: Buffer;
  body: Body;
  /** What came as X-REQUEST-SIGN. */
  given: string | undefined;
  time: string | undefined;
  isTimely: boolean;
  /** What it should be with this secret, at this path. */
  right(secret: string, path?: string, bytes?: Buffer | string): string;
  secret: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Body;
}

/** What a server does otherwise than it should. */
export interface Fault {
  /** Comes after the signature, or the signature after the schema. */
  late?: Stage;
  refusesAs?: (stage: Stage, call: Call) => Outcome | undefined;
  believes?: (call: Call, isRight: boolean, kept: Set<string>) => boolean;
  /** Before the fields are checked. */
  reads?: (body: Body, operation: OperationName) => Outcome | undefined;
  details?: (details: FieldError[], body: Body) => FieldError[];
  /** In place of what should be done; undefined leaves it as it is. */
  does?: (memory: Memory, operation: OperationName, body: Body, all: Memory[]) => Promise<Outcome | undefined>;
  answers?: (answer: Answer, operation: OperationName | undefined, body: Body, all: Memory[]) => void;
  sweeps?: false;
}

export const secrets = new Map([
  [1, 'secret-of-one'],
  [2, 'secret-of-two'],
]);

export async function memoryServer(fault: Fault = {}): Promise<string> {
  const memories = [...secrets.keys()].map((clientId) => {
    const memory = openMemory(clientId, partnerProfile);
    memory.working.clock = { worldNow: Date.now(), aheadMs: 0, setTo: null };
    return memory;
  });
  const kept = new Set<string>();
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    send(response, request, await serve(fault, memories, kept, request, bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function send(response: ServerResponse, _request: IncomingMessage, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const operationAt = new Map(
  Object.entries(operations).map(([name, { path }]) => [basePath + path, name as OperationName]),
);

async function serve(fault: Fault, memories: Memory[], kept: Set<string>, request: IncomingMessage, bytes: Buffer) {
  const call = callOf(request, bytes);
  const given = String(request.headers['x-request-id'] ?? '');
  const requestId = /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
  const outcome = await outcomeOf(fault, memories, kept, request, call);
  const answer: Answer = outcome.ok
    ? { status: 200, headers: {}, body: structuredClone(outcome.value) as Body }
    : {
        status: errors[outcome.error].status,
        headers: {},
        body: errorBody(outcome, requestId, 'http://127.0.0.1') as unknown as Body,
      };
  answer.headers['x-request-id'] = requestId;
  if (answer.status === 405) answer.headers.allow = 'POST';
  fault.answers?.(answer, call.operation, call.body, memories);
  return answer;
}

function callOf({ url = '', headers }: IncomingMessage, bytes: Buffer): Call {
  const body = parsed(bytes);
  const time = headers['x-request-time'] as string | undefined;
  const right = (secret: string, path = url, signed: Buffer | string = bytes) =>
    sign(signed, secret, time === undefined ? '' : timedPrefix(time, path));
  return {
    operation: operationAt.get(url),
    path: url,
    bytes,
    body,
    given: headers['x-request-sign'] as string | undefined,
    time,
    isTimely: time === undefined || Math.abs(Date.now() / 1000 - Number(time)) <= 300,
    right,
    secret: secrets.get(Number(body.client_id)) ?? 'unknown',
  };
}

function parsed(bytes: Buffer): Body {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
  } catch {
    return {};
  }
}

async function outcomeOf(
  fault: Fault,
  memories: Memory[],
  kept: Set<string>,
  request: IncomingMessage,
  call: Call,
): Promise<Outcome> {
  const refusals: Record<Stage, () => Outcome | undefined> = {
    path: () => (call.operation === undefined ? refuse('unknown_operation') : undefined),
    method: () => (request.method === 'POST' ? undefined : refuse('method_not_allowed')),
    type: () => (request.headers['content-type'] === 'application/json' ? undefined : refuse('not_json')),
    size: () => (call.bytes.length > 1024 * 1024 ? refuse('body_too_large') : undefined),
    json: () => (isObject(call.bytes) ? undefined : refuse('invalid_request', [])),
    caller: () => (Number.isInteger(call.body.client_id) ? undefined : refuse('invalid_request', [])),
    signature: () => (isBelieved(fault, call, kept) ? undefined : refuse('forbidden')),
    schema: () => wrongFields(fault, call),
  };
  for (const stage of ordered(fault.late)) {
    const refusal = refusals[stage]();
    if (refusal !== undefined) return fault.refusesAs?.(stage, call) ?? refusal;
  }
  const memory = memories.find(({ clientId }) => clientId === call.body.client_id);
  if (memory === undefined || call.operation === undefined) return refuse('forbidden');
  const instead = await fault.does?.(memory, call.operation, call.body, memories);
  return instead ?? answerOf(memory, call.operation, call.body, fault.sweeps ?? true);
}

function ordered(late: Stage | undefined): Stage[] {
  if (late === undefined) return [...stages];
  const others = stages.filter((stage) => stage !== late);
  return others.flatMap((stage) =>
    stage === (late === 'signature' ? 'schema' : 'signature') ? [stage, late] : [stage],
  );
}

function isObject(bytes: Buffer): boolean {
  return isUtf8(bytes) && /^\s*\{/.test(bytes.toString()) && Object.keys(parsed(bytes)).length > 0;
}

function isBelieved({ believes }: Fault, call: Call, kept: Set<string>): boolean {
  const isRight = call.isTimely && call.given?.toLowerCase() === call.right(call.secret) && call.secret !== 'unknown';
  return believes?.(call, isRight, kept) ?? isRight;
}

function wrongFields({ reads, details }: Fault, { operation = 'GameList', body }: Call): Outcome | undefined {
  const instead = reads?.(body, operation);
  if (instead !== undefined) return instead;
  const wrong = validateRequest(operation, body);
  const shown = details?.(wrong, body) ?? wrong;
  return shown.length > 0 ? refuse('invalid_request', shown) : undefined;
}
