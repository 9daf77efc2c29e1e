import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import type { EventBody } from '@freebets/contract';

// A partner's endpoint. It keeps every request that comes, and does with it what the test says.

export interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  event: EventBody;
  /** When all of it had come, as milliseconds since 1970. */
  at: number;
  /** How often this event had come before. */
  before: number;
  /** The status, once it is answered. */
  answered?: number;
}

/** A status, also with headers; or the connection is left without an answer, or ended without one. */
export type Reply = number | { status: number; headers: Record<string, string> } | 'stall' | 'drop';

export interface Receiver {
  url: string;
  /** In the order in which they came. */
  requests: Received[];
  /** May be replaced at any time. */
  behave: (request: Received) => Reply | Promise<Reply>;
  /** The sequences answered with 2xx, and how often each. */
  receipts(): Map<number, number>;
}

/** Gone when the test ends that starts it, or else the file. */
export async function startReceiver(behave: Receiver['behave'] = () => 204): Promise<Receiver> {
  const requests: Received[] = [];
  const times = new Map<number, number>();
  const server = createServer(async (request, response) => {
    const received = await receive(request, times).catch(() => undefined);
    if (received === undefined) return;
    requests.push(received);
    reply(received, response, await receiver.behave(received));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events?for=us`,
    requests,
    behave,
    receipts: () => receiptsAmong(requests),
  };
  return receiver;
}

async function receive(request: IncomingMessage, times: Map<number, number>): Promise<Received> {
  const body = await text(request);
  const event: EventBody = JSON.parse(body);
  const before = times.get(event.sequence) ?? 0;
  times.set(event.sequence, before + 1);
  const { method, url: path, headers } = request;
  return { method, path, headers, body, event, at: Date.now(), before };
}

function reply(received: Received, response: ServerResponse, wanted: Reply): void {
  if (wanted === 'stall') return;
  if (wanted === 'drop') {
    response.destroy();
    return;
  }
  const { status, headers } = typeof wanted === 'number' ? { status: wanted, headers: {} } : wanted;
  // Whoever has given up meanwhile does not learn of the answer.
  if (response.destroyed) return;
  received.answered = status;
  response.writeHead(status, headers).end();
}

function receiptsAmong(requests: Received[]): Map<number, number> {
  const receipts = new Map<number, number>();
  for (const { answered, event } of requests) {
    if (answered === undefined || answered < 200 || answered > 299) continue;
    receipts.set(event.sequence, (receipts.get(event.sequence) ?? 0) + 1);
  }
  return receipts;
}

/** How many sequences were received more than once, each as often as it was too much. */
export const repeated = (receipts: Map<number, number>): number =>
  [...receipts.values()].reduce((sum, times) => sum + times - 1, 0);

/** Nobody listens here. */
export const refusingUrl = 'http://127.0.0.1:1/';
