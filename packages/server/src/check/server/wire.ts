import { setTimeout as pause } from 'node:timers/promises';
import { type OperationName, type PartnerCalls, type Sign, signerOf, signRequest } from '@freebets/client';
import { Broken } from '../check.ts';
import { bodyIn, type Exchange, exchangeOf } from '../exchange.ts';
import { type Misfits, noteMisfit } from './answer-form.ts';

// Sends requests as a partner does, right ones and wrong ones. The signed request comes from the client; what is to be wrong
// about it is changed afterwards.

type PartnerOperation = keyof PartnerCalls & OperationName;

export interface HowToSend {
  /** In place of the request written as JSON. */
  bytes?: Uint8Array<ArrayBuffer>;
  /** In place of the bytes that are sent. */
  signedBytes?: Uint8Array<ArrayBuffer>;
  sign?: Sign;
  /** Signs the time and the path too. */
  timeMs?: number;
  /** Changes what is signed already. Undefined leaves a header out. */
  headers?: Record<string, string | undefined>;
  path?: string;
  method?: string;
  /** Also when whoever waits has stopped the check. */
  isLast?: true;
}

export interface Wire {
  clientId: number;
  secret: string;
  /** What it has made, so that it can be taken back. */
  made: { issueIds: Set<string>; campaignIds: Set<string> };
  seen: WireOptions['seen'];
  /** Whatever comes of it. */
  send(name: PartnerOperation, request: object, how?: HowToSend): Promise<Exchange>;
  /** The answer of a request that must be carried out. */
  call<N extends PartnerOperation>(name: N, request: PartnerCalls[N][0]): Promise<PartnerCalls[N][1]>;
}

export interface WireOptions {
  url: string;
  clientId: number;
  secret: string;
  signing: 'plain' | 'strict';
  signal: AbortSignal;
  /** By whomever: what was sent last, and what came in a form that it should not have. */
  seen: { last: Exchange | null; misfits: Misfits };
}

const timeoutMs = 20_000;
/** Somebody waits for the end; what was sent is done all the same. */
const lastTimeoutMs = 5000;
/** The service may be busy: the same bytes are sent again, as its guide says. */
const attempts = 4;

export function wireOf({ url, clientId, secret, signing, signal, seen }: WireOptions): Wire {
  const base = url.replace(/\/+$/, '').replace(/\/v3$/, '');
  const sign = signerOf(secret);
  const made = { issueIds: new Set<string>(), campaignIds: new Set<string>() };
  const send: Wire['send'] = async (name, request, how = {}) => {
    remember(made, name, request);
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
    const exchange = await patiently(() => exchangeOf(toSend, withinMs, stopped), stopped);
    seen.last = exchange;
    noteMisfit(seen.misfits, name, exchange);
    return exchange;
  };
  return {
    clientId,
    secret,
    made,
    seen,
    send,
    call: async (name, request) => carriedOut(await send(name, request)),
  };
}

function remember({ issueIds, campaignIds }: Wire['made'], name: OperationName, request: object): void {
  const {
    issue_id,
    campaign_id,
    items = [],
  } = request as { issue_id?: unknown; campaign_id?: unknown; items?: object[] };
  if (name === 'IssueBatch') for (const item of items) remember({ issueIds, campaignIds }, 'Issue', item);
  if (name === 'Issue' && typeof issue_id === 'string') issueIds.add(issue_id);
  if (name === 'CampaignCreate' && typeof campaign_id === 'string') campaignIds.add(campaign_id);
}

async function patiently(attempt: () => Promise<Exchange>, signal: AbortSignal | undefined): Promise<Exchange> {
  for (let tried = 1; ; tried++) {
    const exchange = await attempt();
    const { status, headers } = exchange.answer ?? { status: 0, headers: {} as Record<string, string> };
    if ((status !== 429 && status !== 503) || tried === attempts) return exchange;
    await pause(Math.min(Number(headers['retry-after'] ?? 1) || 1, 5) * 1000, undefined, { signal });
  }
}

function withChanges(signed: Record<string, string>, changes: HowToSend['headers'] = {}): Record<string, string> {
  const entries = Object.entries({ ...signed, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

export const statusOf = ({ answer }: Exchange): number | undefined => answer?.status;

/** What became of it, for a sentence. */
export function happened(exchange: Exchange): string {
  if (exchange.answer === null) return `got no answer (${exchange.fault})`;
  const error = bodyIn(exchange)?.error;
  return `was answered ${exchange.answer.status}${typeof error === 'string' ? ` ${error}` : ''}`;
}

/** The answer; the rule is broken where there is none. */
export function carriedOut<T extends object>(exchange: Exchange, what = 'A right request'): T {
  const body = statusOf(exchange) === 200 ? bodyIn(exchange) : null;
  if (body === null) throw new Broken(`${what} ${happened(exchange)}; it must be carried out.`, exchange);
  return body as T;
}

/** It was refused with this error; its number and status are the business of another rule. */
export function refusedWith(exchange: Exchange, error: string, what: string): void {
  if (exchange.answer !== null && statusOf(exchange) !== 200 && bodyIn(exchange)?.error === error) return;
  throw new Broken(`${what} ${happened(exchange)}; it must be refused with ${error}.`, exchange);
}

export function holds(condition: boolean, reason: string, exchange?: Exchange | null): asserts condition {
  if (!condition) throw new Broken(reason, exchange);
}
