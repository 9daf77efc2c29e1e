import { createSecretKey, randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { signatureHeader, timeHeader } from '@freebets/contract';
import { signedHeaders } from '../../events/webhooks/request.ts';
import { Broken } from '../check.ts';
import { type Exchange, exchangeOf, sentOf } from '../exchange.ts';

// Sends events to a partner's receiver, both as the service does and as an impostor would.

export interface ReceiverToCheck {
  url: string;
  secret: string;
  clientId: number;
  signing: 'plain' | 'strict';
  /** How long the service waits for a response. */
  timeoutMs: number;
}

export interface Delivery {
  event?: object;
  /** Replaces the event's JSON. */
  text?: string;
  /** Sent instead of the signed text. */
  sentText?: string;
  /** Replaces the receiver's secrets. The newest comes first. */
  secrets?: string[];
  atMs?: number;
  /** The signed path, if it differs from the receiver's. */
  signedPath?: string;
  headers?: (signed: Record<string, string>) => Record<string, string>;
  /** Sends in small pieces over this time. */
  slowlyMs?: number;
}

export interface Receiver extends ReceiverToCheck {
  send(delivery?: Delivery): Promise<Exchange>;
  event(more?: object): { event_id: string; sequence: number };
}

export const otherSecret = (): string => randomBytes(32).toString('base64url');

export const isReceipt = ({ answer }: Exchange): boolean =>
  answer !== null && answer.status >= 200 && answer.status <= 299;

/** The headers of both kinds of signature. */
const requestHeaderNames = [signatureHeader, `${signatureHeader}-previous`, timeHeader];
export const without =
  (kind: 'standard' | 'request') =>
  (signed: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(signed).filter(([name]) =>
        kind === 'standard' ? !name.startsWith('webhook-') : !requestHeaderNames.includes(name),
      ),
    );

/** Replaces a correct signature, in the same encoding. */
export type Rewrite = (right: string, encoding: 'hex' | 'base64') => string;

const versioned = 'v1,';

const rewritten = (signed: Record<string, string>, write: Rewrite): Record<string, string> =>
  Object.fromEntries(
    Object.entries(signed).map(([name, value]) => {
      if (name.startsWith(signatureHeader)) return [name, write(value, 'hex')];
      if (name !== 'webhook-signature') return [name, value];
      const all = value.split(' ').map((one) => versioned + write(one.slice(versioned.length), 'base64'));
      return [name, all.join(' ')];
    }),
  );

/** Every combination of signatures: each kind alone, which may be enough, both, and during a rotation of the secret. */
export function deliveriesWith(write: Rewrite, secret: string): Delivery[] {
  const [request, standard] = [without('standard'), without('request')];
  const ways: [secrets: string[], kept: typeof request][] = [
    [[secret], request],
    [[secret], standard],
    [[secret], (signed) => signed],
    [[secret, secret], request],
    [[secret, secret], standard],
  ];
  return ways.map(([secrets, kept]) => ({ secrets, headers: (signed) => rewritten(kept(signed), write) }));
}

export function receiverOf(toCheck: ReceiverToCheck, signal: AbortSignal): Receiver {
  const { url, secret, clientId, signing, timeoutMs } = toCheck;
  // Higher than the partner's real numbers will be for a long time, and increasing between runs.
  let sequence = Math.floor(Date.now() / 1000) * 1000;
  const event: Receiver['event'] = (more = {}) => ({ ...eventOf(clientId, ++sequence), ...more });
  const send: Receiver['send'] = async (delivery = {}) => {
    const body = delivery.event ?? event();
    const text = delivery.text ?? JSON.stringify(body);
    const keys = (delivery.secrets ?? [secret]).map((one) => createSecretKey(Buffer.from(one)));
    const signedUrl = delivery.signedPath === undefined ? url : new URL(delivery.signedPath, url).href;
    const request = { eventId: (body as { event_id: string }).event_id, url: signedUrl, body: text };
    const signed = signedHeaders({ keys, isStrict: signing === 'strict' }, request, delivery.atMs ?? Date.now());
    const headers = { 'user-agent': 'freebets/check', ...(delivery.headers?.(signed) ?? signed) };
    const toSend = { method: 'POST', url, headers, bytes: Buffer.from(delivery.sentText ?? text) };
    return delivery.slowlyMs === undefined
      ? exchangeOf(toSend, timeoutMs, signal)
      : slowExchange(toSend, delivery.slowlyMs, timeoutMs);
  };
  return { ...toCheck, send, event };
}

function eventOf(clientId: number, sequence: number) {
  const at = new Date().toISOString();
  const far = '2101-01-01T00:00:00.000Z';
  const free_bet = {
    issue_id: randomUUID(),
    campaign_id: null,
    status: 'active',
    player_id: 'check-player',
    currency: 'EUR',
    bet_amount: '1.00',
    quantity: 1,
    remaining: 1,
    games: ['check-game'],
    config: { min_coefficient: null, max_coefficient: null },
    ...{ valid_from: at, valid_until: far, expires_at: far, issued_at: at },
  };
  const head = { event_id: randomUUIDv7(), sequence, type: 'freebet.issued', occurred_at: at };
  return { ...head, client_id: clientId, data: { free_bet } };
}

const pieces = 20;

type ToSend = Parameters<typeof sentOf>[0];

/** `fetch` sends a body at once; this sends it in pieces, as a bad connection would. */
async function slowExchange(toSend: ToSend, slowlyMs: number, timeoutMs: number): Promise<Exchange> {
  const { url, method, headers, bytes } = toSend;
  const startedAt = performance.now();
  const open = url.startsWith('https:') ? httpsRequest : httpRequest;
  const outgoing = open(url, { method, headers: { ...headers, 'content-length': bytes.length } });
  const ended = Promise.withResolvers<Exchange>();
  const fail = (error: Error) => ended.resolve({ request: sentOf(toSend), answer: null, fault: error.message });
  outgoing.on('error', fail);
  outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
  outgoing.on('response', (response) => {
    response.resume();
    const duration_ms = Math.round(performance.now() - startedAt);
    const answer = { status: response.statusCode ?? 0, headers: {}, body: '', duration_ms };
    ended.resolve({ request: sentOf(toSend), answer, fault: null });
  });
  const length = Math.ceil(bytes.length / pieces);
  for (let from = 0; from < bytes.length && !outgoing.destroyed; from += length) {
    outgoing.write(bytes.subarray(from, from + length));
    await pause(slowlyMs / pieces);
  }
  outgoing.end();
  return ended.promise;
}

const happened = ({ answer, fault }: Exchange): string =>
  answer === null ? `got no response (${fault})` : `got ${answer.status}`;

export function received(exchange: Exchange, what: string): void {
  if (!isReceipt(exchange)) throw new Broken(`${what} ${happened(exchange)}; it must get 2xx.`, exchange);
}

export function refused(exchange: Exchange, what: string): void {
  const { answer } = exchange;
  if (answer !== null && answer.status >= 400 && answer.status <= 499) return;
  throw new Broken(`${what} ${happened(exchange)}; it must be refused with 4xx, such as 401.`, exchange);
}
