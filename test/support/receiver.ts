import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import type { EventBody } from '@freebets/contract';

// A partner's endpoint. It stores every request and responds as the test says.

export interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  event: EventBody;
  /** The time when the whole request had arrived, in milliseconds since 1970. */
  at: number;
  /** The number of earlier requests with this event. */
  before: number;
  /** The status, once there is a response. */
  answered?: number;
}

/** A status, optionally with headers; or no response, with the connection left open or closed. */
export type Reply = number | { status: number; headers: Record<string, string> } | 'stall' | 'drop';

export interface Receiver {
  url: string;
  /** In the order of arrival. */
  requests: Received[];
  /** May be replaced at any time. */
  behave: (request: Received) => Reply | Promise<Reply>;
  /** The sequences that got 2xx, with the number of times. */
  receipts(): Map<number, number>;
}

/** It ends with the test that starts it, otherwise with the file. */
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
  // A sender that has given up does not receive the response.
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

/** The number of surplus receipts. */
export const repeated = (receipts: Map<number, number>): number =>
  [...receipts.values()].reduce((sum, times) => sum + times - 1, 0);

/** An address without a listener. */
export const refusingUrl = 'http://127.0.0.1:1/';
