import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { errorVectors } from '../../support/vectors.ts';

// What lies between a client and the service: a line that loses the first answer to every request, after it was carried out, each
// time in another way. What is sent again must be the same bytes, or it would be carried out twice.

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const losses: ((response: ServerResponse) => void)[] = [
  (response) => response.destroy(),
  (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>'),
  (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"issue_id":', () => response.destroy());
  },
  (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
];

export interface LosingLine {
  url: string;
  /** How many requests were carried out, and how often they came. */
  count: { different: number; received: number };
}

export async function losingLine(server: string): Promise<LosingLine> {
  const known = new Set<string>();
  const count = { different: 0, received: 0 };
  const carryOut = async ({ url, headers }: IncomingMessage, body: Buffer<ArrayBuffer>) => {
    const kept = ['content-type', 'x-request-sign', 'x-request-time'].flatMap((name): [string, string][] =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    );
    return fetch(server + url, { method: 'POST', headers: kept, body });
  };
  const url = await listen(async (request, response) => {
    const body = await buffer(request);
    count.received += 1;
    const answer = await carryOut(request, body as Buffer<ArrayBuffer>);
    const text = await answer.text();
    const key = `${request.url} ${body}`;
    if (!known.has(key)) {
      known.add(key);
      losses[count.different++ % losses.length]?.(response);
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return { url, count };
}

/** Answers what the vectors of errors say: the first below `/0`, the second below `/1`, and so on. Below `/other` it is no HTTP. */
export const errorServer = (): Promise<string> =>
  listen(async (request, response) => {
    await buffer(request);
    const [, number] = request.url?.split('/') ?? [];
    if (number === 'other') return void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n');
    const vector = errorVectors[Number(number)];
    response.writeHead(vector?.status ?? 404, vector?.headers).end(vector?.body);
  });
