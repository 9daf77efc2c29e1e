import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { basePath, type ErrorName, errorBody, errors, type OperationName, operations } from '@freebets/contract';
import { compileAll, validateRequest } from '../../calls/validation.ts';
import { refusalReason } from '../../edge/authentication.ts';
import { scanObject } from '../../edge/scan.ts';
import { isJson, maxBodyBytes } from '../../edge/transfer.ts';
import { Failure } from '../../primitives/failure.ts';
import { refuse } from '../../primitives/outcome.ts';
import { type Exchange, sentOf } from '../exchange.ts';
import { players } from './players.ts';
import { openRounds, type PlayedGame, type RoundBody, type Rounds } from './rounds.ts';

// A small operator and service for one provider. It follows the rules of the real service and, for some players,
// simulates lost responses. All calls are recorded for the rules to judge.

export interface ProviderToCheck extends PlayedGame {
  port: number;
  host: string;
  secret: string;
}

export type Treatment = 'answered' | 'lost' | 'unanswered' | 'busy';

export interface SeenCall {
  atMs: number;
  path: string;
  operation: OperationName | undefined;
  body: RoundBody;
  playerId: string | undefined;
  /** How the service treated the response. */
  treatment: Treatment;
  /** Null if the call succeeded. */
  error: ErrorName | null;
  exchange: Exchange;
}

export interface ProviderService {
  url: string;
  calls: SeenCall[];
  close(): void;
}

export async function startProviderService(
  toCheck: ProviderToCheck,
  onCall: (call: SeenCall) => void,
): Promise<ProviderService> {
  const rounds = openRounds(toCheck);
  const calls: SeenCall[] = [];
  await compileAll();
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request).catch(() => undefined);
    if (bytes === undefined) return;
    const { call, answer } = serve(toCheck, rounds, calls, request, bytes, url);
    calls.push(call);
    give(call, response, answer);
    onCall(call);
  });
  server.listen(toCheck.port, toCheck.host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`Port ${toCheck.port} of ${toCheck.host} cannot be used (${error.code}): choose another.`);
  });
  const { address, port, family } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return {
    url,
    calls,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Long enough to distinguish waiting from slowness. */
export const retryAfterS = 3;

function give({ treatment, exchange }: SeenCall, response: ServerResponse, answer: object): void {
  if (treatment === 'unanswered') return;
  if (treatment === 'lost') {
    response.destroy();
    return;
  }
  const busy = treatment === 'busy' ? { 'retry-after': String(retryAfterS) } : {};
  const headers = { 'content-type': 'application/json', 'x-request-id': requestId, ...busy };
  response.writeHead(exchange.answer?.status ?? 200, headers).end(JSON.stringify(answer));
}

const requestId = 'check';
const operationAt = new Map(
  Object.entries(operations)
    .filter(([, { caller }]) => caller === 'provider_id')
    .map(([name, { path }]) => [basePath + path, name as OperationName]),
);

function serve(
  toCheck: ProviderToCheck,
  rounds: Rounds,
  calls: SeenCall[],
  request: IncomingMessage,
  bytes: Buffer,
  address: string,
) {
  const startedAt = performance.now();
  const operation = operationAt.get(request.url ?? '');
  const parsed = bodyOf(bytes);
  const body = parsed ?? {};
  const wrong = requestProblem(toCheck, request, bytes, operation, parsed);
  const playerId = body.player_id ?? playerOf(calls, body.bet_id);
  const treatment = wrong === undefined ? treatmentOf(operation, playerId, calls) : 'answered';
  const outcome = outcomeOf(wrong, treatment, () => rounds.carryOut(operation as OperationName, body));
  const answer = outcome.ok ? outcome.value : errorBody(outcome, requestId, address);
  const error = outcome.ok ? null : outcome.error;
  // The path as received, which may be invalid.
  const url = `${address}${request.url}`;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const exchange: Exchange = {
    request: sentOf({ method: request.method ?? '', url, headers, bytes }),
    answer: {
      status: error === null ? 200 : errors[error].status,
      headers: {},
      body: JSON.stringify(answer),
      duration_ms: Math.round(performance.now() - startedAt),
    },
    fault: null,
  };
  return {
    call: { atMs: performance.now(), path: request.url ?? '', operation, body, playerId, treatment, error, exchange },
    answer,
  };
}

type RoundsOutcome = ReturnType<Rounds['carryOut']>;

function outcomeOf(wrong: RoundsOutcome | undefined, treatment: Treatment, carryOut: () => RoundsOutcome) {
  if (wrong !== undefined) return wrong;
  return treatment === 'busy' ? refuse('unavailable') : carryOut();
}

/** The player of a bet, known from the call that placed it. */
const playerOf = (calls: SeenCall[], betId: string | undefined): string | undefined =>
  betId === undefined ? undefined : calls.find(({ body, playerId }) => body.bet_id === betId && playerId)?.playerId;

/** Undefined if the body is not a JSON object. */
function bodyOf(bytes: Buffer): RoundBody | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Validates a request in the same order as the service. */
function requestProblem(
  toCheck: ProviderToCheck,
  { method, headers, url = '' }: IncomingMessage,
  bytes: Buffer,
  operation: OperationName | undefined,
  body: RoundBody | undefined,
): RoundsOutcome | undefined {
  if (operation === undefined) return refuse('unknown_operation');
  if (method !== 'POST') return refuse('method_not_allowed');
  if (!isJson(headers)) return refuse('not_json');
  if (bytes.length > maxBodyBytes) return refuse('body_too_large');
  const scan = scanObject(bytes, 'provider_id');
  if (!scan.ok) return refuse('invalid_request', [scan.error]);
  if (body?.provider_id === undefined)
    return refuse('invalid_request', [{ field: 'provider_id', reason: 'is missing' }]);
  const isOwn = body.provider_id === toCheck.providerId;
  const keys = isOwn ? [createSecretKey(toCheck.secret, 'utf8')] : [];
  const call = { path: url, body: bytes, headers, nowMs: Date.now(), address: () => undefined };
  if (refusalReason({ keys, isStrict: false, allowFrom: undefined }, call) !== undefined) return refuse('forbidden');
  const details = validateRequest(operation, body);
  return details.length > 0 ? refuse('invalid_request', details) : undefined;
}

/** For some players the first call of a kind fails, and for one player every bet. */
function treatmentOf(operation: OperationName | undefined, playerId: string | undefined, calls: SeenCall[]): Treatment {
  const isFirst = !calls.some((call) => call.operation === operation && call.playerId === playerId && !call.error);
  const isFirstEver = !calls.some((call) => call.operation === operation && call.playerId === playerId);
  if (operation === 'RoundsBet' && playerId === players.timeOut.id) return 'unanswered';
  if (operation === 'RoundsBet' && playerId === players.busy.id && isFirstEver) return 'busy';
  const isLost =
    (operation === 'RoundsBet' && playerId === players.lostBet.id) ||
    (operation === 'RoundsSettle' && playerId === players.lostSettlement.id) ||
    (operation === 'RoundsRollback' && playerId === players.timeOut.id);
  return isLost && isFirst ? 'lost' : 'answered';
}
