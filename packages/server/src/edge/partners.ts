import type { Refusal } from '@freebets/contract';
import type { Batch } from '../calls/call.ts';
import type { RateVerdict } from '../primitives/rate-limit.ts';
import { type Caller, refusalReason } from './authentication.ts';
import {
  type Authenticator,
  addressOf,
  type Edge,
  type Exchange,
  invalid,
  type OperationExchange,
} from './exchange.ts';
import { scalarAt } from './scan.ts';

// Partners and game providers sign the bytes of the body. Their rate limits count only requests with a valid signature.

export const signed: Authenticator = {
  withBody(exchange, body, idAt) {
    const { edge, operation, request } = exchange;
    const { idField: kind } = operation;
    const caller = callerOf(kind, idAt < 0 ? undefined : scalarAt(body, idAt));
    if (caller === undefined) return invalid([{ field: kind, reason: idAt < 0 ? 'is missing' : wrongIds[kind] }]);
    exchange.claimed = caller;
    exchange.refusedFor = refusalReason(edge.accessOf(caller), {
      path: operation.path,
      body,
      headers: request.headers,
      nowMs: Date.now(),
      address: () => addressOf(exchange) ?? undefined,
    });
    if (exchange.refusedFor !== undefined) return { error: 'forbidden' };
    exchange.caller = caller;
    exchange.key = `${kind}:${caller.id}`;
    const verdict = edge.limiter?.(exchange.key, performance.now());
    return verdict instanceof Promise
      ? verdict.then((late) => overRate(exchange, 'caller', edge.rate, late))
      : overRate(exchange, 'caller', edge.rate, verdict);
  },
};

const wrongIds: Record<Caller['kind'], string> = {
  client_id: 'must be a whole number',
  provider_id: 'must be text',
};

function callerOf(kind: Caller['kind'], id: unknown): Caller | undefined {
  if (kind === 'client_id') return Number.isSafeInteger(id) ? { kind, id: id as number } : undefined;
  return typeof id === 'string' ? { kind, id } : undefined;
}

/** Refuses a batch before it is parsed if the lane has no room or the batch exceeds the item rate. */
export async function refusalOfItems(
  exchange: OperationExchange,
  batch: Batch<Edge>,
  { items, isDryRun }: { items: number; isDryRun: boolean },
): Promise<Refusal | undefined> {
  const { edge, caller, key } = exchange;
  if (caller?.kind !== 'client_id' || items > batch.items) return undefined;
  // A dry run needs no room in a lane.
  if (!isDryRun && !batch.hasRoom(edge, { clientId: caller.id, caller: key }, items)) return { error: 'unavailable' };
  const verdict = await edge.itemLimiter?.(`items:${caller.id}`, performance.now(), items);
  return overRate(exchange, 'items', edge.itemRate, verdict);
}

/** Adds this limit to the headers, which list every limit that counted the request. */
function overRate(
  { headers }: Exchange,
  policy: string,
  { limit, burst }: Edge['rate'],
  verdict: RateVerdict | undefined,
): Refusal | undefined {
  if (verdict === undefined) return undefined;
  const { allowed, remaining, retryAfterS } = verdict;
  const add = (name: string, item: string) => {
    headers[name] = name in headers ? `${headers[name]}, ${item}` : item;
  };
  add('ratelimit-policy', `"${policy}";q=${burst};w=${Math.ceil(burst / limit)}`);
  add('ratelimit', `"${policy}";r=${remaining};t=${allowed ? 0 : retryAfterS}`);
  if (allowed) return undefined;
  headers['retry-after'] = String(retryAfterS);
  return { error: 'too_many_requests' };
}
