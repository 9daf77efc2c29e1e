import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

// A partner's endpoint: it keeps what it was sent, and answers as the test says.

export interface Sent {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into events of every type.
  event: any;
}

export interface Endpoint {
  url: string;
  sent: Sent[];
  /** The numbers of the events, in the order in which they came. */
  sequences(): number[];
  answerWith(status: (sequence: number) => number, headers?: Record<string, string>): void;
}

export async function openEndpoint(): Promise<Endpoint> {
  const sent: Sent[] = [];
  let statusOf: (sequence: number) => number = () => 204;
  let answerHeaders: Record<string, string> = {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const event = JSON.parse(text);
    sent.push({ headers: request.headers, text, event });
    response.writeHead(statusOf(event.sequence), answerHeaders).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    sent,
    sequences: () => sent.map(({ event }) => event.sequence),
    answerWith(status, headers = {}) {
      statusOf = status;
      answerHeaders = headers;
    },
  };
}
