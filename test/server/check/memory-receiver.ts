import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyWebhook, WebhookError } from '@freebets/client';
import { sign, timedPrefix } from '@freebets/contract';

// A small, correct receiver of a partner, and for each rule a variant that breaks only this rule.

export const receiverSecret = 'secret-of-the-receiver';

interface Seen {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** How long its body took to come. */
  bodyMs: number;
  /** How many are being answered, this one among them. */
  underWay: number;
  eventIds: Set<string>;
  lastSequence: number;
}

export interface ReceiverFault {
  delayMs?: number;
  /** Concurrently with others. */
  delayInCrowdMs?: number;
  toleranceS?: number;
  allowUntimed?: boolean;
  /** Before the signature is looked at. */
  first?: (seen: Seen) => number | undefined;
  believes?: (error: WebhookError, seen: Seen) => boolean;
  body?: (body: Buffer) => Buffer;
  headers?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  /** Of an event that is believed. */
  answers?: (event: { event_id: string; sequence: number; type: string }, seen: Seen) => number;
}

export async function memoryReceiver(fault: ReceiverFault = {}): Promise<string> {
  const eventIds = new Set<string>();
  let [underWay, lastSequence] = [0, 0];
  const answerTo = async (request: IncomingMessage): Promise<number> => {
    const startedAt = performance.now();
    const body = await buffer(request);
    const bodyMs = performance.now() - startedAt;
    const seen = { headers: request.headers, body, bodyMs, underWay, eventIds, lastSequence };
    const status = fault.first?.(seen);
    await pause((underWay > 1 ? fault.delayInCrowdMs : undefined) ?? fault.delayMs ?? 20);
    if (status !== undefined) return status;
    if (!(await isBelieved(fault, seen, request.url))) return 401;
    const event = JSON.parse(body.toString());
    const answer = fault.answers?.(event, seen) ?? 204;
    eventIds.add(event.event_id);
    lastSequence = Math.max(lastSequence, event.sequence);
    return answer;
  };
  const server = createServer(async (request, response) => {
    underWay += 1;
    const status = await answerTo(request).catch(() => 500);
    underWay -= 1;
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/events?for=us`;
}

async function isBelieved(fault: ReceiverFault, seen: Seen, path: string | undefined): Promise<boolean> {
  const body = fault.body?.(seen.body) ?? seen.body;
  const headers = fault.headers?.(seen.headers) ?? seen.headers;
  const { toleranceS, allowUntimed } = fault;
  try {
    await verifyWebhook(body, headers, receiverSecret, { path, toleranceS, allowUntimed });
    return true;
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return fault.believes?.(error, seen) ?? false;
  }
}

const idIn = ({ body }: Seen): string => JSON.parse(body.toString()).event_id;
const previous = 'x-request-sign-previous';

/** Accepts any prefix of the correct signature in one of the headers. */
export const takesBeginnings = (header: string): ReceiverFault => ({
  believes(_error, seen) {
    const { [header]: given, 'webhook-id': id, 'webhook-timestamp': time } = seen.headers;
    const content = Buffer.concat([Buffer.from(`${id}.${time}.`), seen.body]);
    const standard = `v1,${createHmac('sha256', receiverSecret).update(content).digest('base64')}`;
    const right = header === 'webhook-signature' ? standard : signsOf(seen).right;
    return (
      given !== undefined &&
      String(given)
        .split(' ')
        .some((one) => right.startsWith(one))
    );
  },
});

/** The signature that came, in hexadecimal, and what it should be. */
function signsOf({ headers, body }: Seen): { given: string | undefined; right: string } {
  const time = headers['x-request-time'];
  const prefix = time === undefined ? '' : timedPrefix(String(time), '/events?for=us');
  return { given: headers['x-request-sign'] as string | undefined, right: sign(body, receiverSecret, prefix) };
}

/** Well formed, and right in no part. */
function isOther(seen: Seen): boolean {
  const { given = '', right } = signsOf(seen);
  return given.length === 64 && given.slice(0, 8) !== right.slice(0, 8) && given.slice(-8) !== right.slice(-8);
}

const known = ['freebet.issued', 'freebet.used'];

export const receiverFaults: Record<string, ReceiverFault> = {
  'webhook.accepted': { answers: () => 302 },
  'webhook.in-time': { delayMs: 4200 },
  'webhook.unsigned': { believes: ({ reason }) => reason === 'missing_signature' },
  'webhook.wrong-signature': {
    believes: ({ reason }, seen) =>
      reason === 'wrong_signature' &&
      isOther(seen) &&
      seen.headers[previous] === undefined &&
      !seen.eventIds.has(idIn(seen)),
  },
  'webhook.empty-signature': { believes: (_error, seen) => signsOf(seen).given === '' },
  'webhook.partial-signature': {
    believes(_error, seen) {
      const { given = '', right } = signsOf(seen);
      return given.length === 64 && given.slice(0, 8) === right.slice(0, 8);
    },
  },
  'webhook.malformed-signature': {
    believes(_error, seen) {
      const { given = '', right } = signsOf(seen);
      return given !== '' && right.startsWith(given);
    },
  },
  'webhook.altered-body': {
    believes: ({ reason }, seen) => reason === 'wrong_signature' && seen.eventIds.has(idIn(seen)),
  },
  'webhook.raw-bytes': { body: (body) => Buffer.from(JSON.stringify(JSON.parse(body.toString()))) },
  'webhook.old-time': { toleranceS: Number.POSITIVE_INFINITY },
  'webhook.other-path': {
    believes: (_error, seen) =>
      seen.headers['webhook-signature'] === undefined && Boolean(seen.headers['x-request-time']) && isOther(seen),
  },
  'webhook.duplicate': { answers: ({ event_id }, { eventIds }) => (eventIds.has(event_id) ? 409 : 204) },
  'webhook.out-of-order': {
    answers: ({ sequence }, { lastSequence, underWay }) => (sequence < lastSequence && underWay === 1 ? 409 : 204),
  },
  'webhook.unknown-type': { answers: ({ type }) => (known.includes(type) ? 204 : 422) },
  'webhook.rotated-secret': {
    headers: ({ [previous]: _, ...headers }) => ({
      ...headers,
      'webhook-signature': String(headers['webhook-signature']).split(' ')[0],
    }),
  },
  'webhook.large': { first: ({ body }) => (body.length > 100_000 ? 413 : undefined) },
  'webhook.slow-link': { first: ({ bodyMs }) => (bodyMs > 1000 ? 408 : undefined) },
  // So slow that concurrent requests pile up.
  'webhook.burst': { delayInCrowdMs: 1000, first: ({ underWay }) => (underWay > 20 ? 503 : undefined) },
};
