import { setTimeout as pause } from 'node:timers/promises';
import { type OperationName, type PartnerCalls, type Sign, signerOf, signRequest } from '@freebets/client';
import { Broken } from '../check.ts';
import { bodyIn, type Exchange, exchangeOf } from '../exchange.ts';
import { type Mismatches, noteMismatch } from './response-schema.ts';

// Sends valid and invalid requests as a partner. The client signs the request; deliberate errors are applied
// afterwards.

type PartnerOperation = keyof PartnerCalls & OperationName;

export interface SendOptions {
  /** Replaces the request's JSON. */
  bytes?: Uint8Array<ArrayBuffer>;
  /** Signs these bytes instead of those sent. */
  signedBytes?: Uint8Array<ArrayBuffer>;
  sign?: Sign;
  /** Also signs the time and the path. */
  timeMs?: number;
  /** Changes headers after signing. Undefined removes a header. */
  headers?: Record<string, string | undefined>;
  path?: string;
  method?: string;
  /** Sent even after the user has stopped the check. */
  isLast?: true;
}

export interface Wire {
  clientId: number;
  secret: string;
  /** The ids of what it created, for `cleanUp`. */
  made: { issueIds: Set<string>; campaignIds: Set<string> };
  seen: WireOptions['seen'];
  /** Returns the exchange, whether it succeeded or not. */
  send(name: PartnerOperation, request: object, how?: SendOptions): Promise<Exchange>;
  /** Returns the response; throws `Broken` if the request is refused. */
  call<N extends PartnerOperation>(name: N, request: PartnerCalls[N][0]): Promise<PartnerCalls[N][1]>;
}

export interface WireOptions {
  url: string;
  clientId: number;
  secret: string;
  signing: 'plain' | 'strict';
  signal: AbortSignal;
  /** Shared by all parties: the last exchange, and responses that do not match the reference. */
  seen: { last: Exchange | null; mismatches: Mismatches };
}

const timeoutMs = 20_000;
/** Shorter, because the user waits for the end. The server completes the request in any case. */
const lastTimeoutMs = 5000;
/** When the service is busy, the same bytes are sent again, as the guide says. */
const attempts = 4;

export function wireOf({ url, clientId, secret, signing, signal, seen }: WireOptions): Wire {
  const base = url.replace(/\/+$/, '').replace(/\/v3$/, '');
  const sign = signerOf(secret);
  const made = { issueIds: new Set<string>(), campaignIds: new Set<string>() };
  const send: Wire['send'] = async (name, request, how = {}) => {
    rememberIds(made, name, request);
    const bytes = how.bytes ?? bytesOf({ client_id: clientId, ...request });
    const timeMs = how.timeMs ?? (signing === 'strict' ? Date.now() : undefined);
    const signed = await signRequest(how.sign ?? sign, name, how.signedBytes ?? bytes, timeMs);
    const toSend = {
      method: how.method ?? 'POST',
      url: base + (how.path ?? signed.path),
      headers: withChanges(signed.headers, how.headers),
      bytes,
    };
    const [stopped, withinMs] = how.isLast ? [undefined, lastTimeoutMs] : [signal, timeoutMs];
    const exchange = await retryWhenBusy(() => exchangeOf(toSend, withinMs, stopped), stopped);
    seen.last = exchange;
    noteMismatch(seen.mismatches, name, exchange);
    return exchange;
  };
  return {
    clientId,
    secret,
    made,
    seen,
    send,
    call: async (name, request) => mustSucceed(await send(name, request)),
  };
}

function rememberIds({ issueIds, campaignIds }: Wire['made'], name: OperationName, request: object): void {
  const {
    issue_id,
    campaign_id,
    items = [],
  } = request as { issue_id?: unknown; campaign_id?: unknown; items?: object[] };
  if (name === 'IssueBatch') for (const item of items) rememberIds({ issueIds, campaignIds }, 'Issue', item);
  if (name === 'Issue' && typeof issue_id === 'string') issueIds.add(issue_id);
  if (name === 'CampaignCreate' && typeof campaign_id === 'string') campaignIds.add(campaign_id);
}

async function retryWhenBusy(attempt: () => Promise<Exchange>, signal: AbortSignal | undefined): Promise<Exchange> {
  for (let tried = 1; ; tried++) {
    const exchange = await attempt();
    const { status, headers } = exchange.answer ?? { status: 0, headers: {} as Record<string, string> };
    if ((status !== 429 && status !== 503) || tried === attempts) return exchange;
    await pause(Math.min(Number(headers['retry-after'] ?? 1) || 1, 5) * 1000, undefined, { signal });
  }
}

function withChanges(signed: Record<string, string>, changes: SendOptions['headers'] = {}): Record<string, string> {
  const entries = Object.entries({ ...signed, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

export const statusOf = ({ answer }: Exchange): number | undefined => answer?.status;

/** The result, worded for a sentence. */
export function resultText(exchange: Exchange): string {
  if (exchange.answer === null) return `got no response (${exchange.fault})`;
  const error = bodyIn(exchange)?.error;
  return `got ${exchange.answer.status}${typeof error === 'string' ? ` ${error}` : ''}`;
}

/** Returns the response body; throws `Broken` if the request did not succeed. */
export function mustSucceed<T extends object>(exchange: Exchange, what = 'A valid request'): T {
  const body = statusOf(exchange) === 200 ? bodyIn(exchange) : null;
  if (body === null) throw new Broken(`${what} ${resultText(exchange)}; it must be carried out.`, exchange);
  return body as T;
}

/** The request must be refused with this error. Another rule checks its number and status. */
export function mustRefuse(exchange: Exchange, error: string, what: string): void {
  if (exchange.answer !== null && statusOf(exchange) !== 200 && bodyIn(exchange)?.error === error) return;
  throw new Broken(`${what} ${resultText(exchange)}; it must be refused with ${error}.`, exchange);
}

export function holds(condition: boolean, reason: string, exchange?: Exchange | null): asserts condition {
  if (!condition) throw new Broken(reason, exchange);
}
