import { isUtf8 } from 'node:buffer';
import { errorBody, errors, type OperationName, operations, type Refusal, signatureHeader } from '@freebets/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSignedBy } from './authentication.ts';
import { handlers } from './operations.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Caller, Services } from './services.ts';
import { validateRequest } from './validation.ts';

/** What is known of a request on its way, for the log: the caller only once its signature has been found good. */
export interface Exchange {
  operation: string;
  caller: Caller | undefined;
}

type Body = Record<string, unknown>;

/** JSON · the caller's id · signature · rate · schema · the operation itself; the first that fails answers. */
export async function serveOperation(
  services: Services & { limiter: RateLimiter | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refuse = (refusal: Refusal) => answer(reply, request.id, refusal);
  const name = request.exchange?.operation as OperationName;
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);

  const body = parseObject(bytes);
  if (body === undefined) return refuse(invalid('', 'must be a JSON object in UTF-8'));
  const caller = callerOf(operations[name].caller, body);
  if (caller === undefined) return refuse(invalid(operations[name].caller, 'must name the caller'));
  if (!isSignedBy(services.keysOf(caller), bytes, request.headers[signatureHeader])) {
    return refuse({ error: 'forbidden' });
  }
  request.exchange = { operation: name, caller };
  if (isOverRate(services.limiter, services.rate, caller, reply)) return refuse({ error: 'too_many_requests' });
  const details = validateRequest(name, body);
  if (details.length > 0) return refuse({ error: 'invalid_request', details });

  const outcome = await handlers[name](services, body as never, { request, reply });
  return outcome.ok ? reply.send(outcome.value) : refuse(outcome);
}

const invalid = (field: string, reason: string): Refusal => ({
  error: 'invalid_request',
  details: [{ field, reason }],
});

function parseObject(bytes: Buffer): Body | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

function callerOf(kind: Caller['kind'], body: Body): Caller | undefined {
  const id = body[kind];
  if (kind === 'client_id') return Number.isSafeInteger(id) ? { kind, id: id as number } : undefined;
  return typeof id === 'string' ? { kind, id } : undefined;
}

function isOverRate(
  limiter: RateLimiter | undefined,
  { limit, burst }: Services['rate'],
  { kind, id }: Caller,
  reply: FastifyReply,
): boolean {
  if (limiter === undefined) return false;
  const { allowed, remaining, retryAfterS } = limiter(`${kind}:${id}`, performance.now());
  reply.header('ratelimit-policy', `"caller";q=${burst};w=${Math.ceil(burst / limit)}`);
  reply.header('ratelimit', `"caller";r=${remaining};t=${allowed ? 0 : retryAfterS}`);
  if (!allowed) reply.header('retry-after', retryAfterS);
  return !allowed;
}

export function answer(reply: FastifyReply, requestId: string, refusal: Refusal): FastifyReply {
  const { status } = errors[refusal.error];
  if (status === 503) reply.header('retry-after', 1);
  return reply.code(status).type('application/json; charset=utf-8').send(errorBody(refusal, requestId));
}
