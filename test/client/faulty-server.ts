import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { errorBody, errors, type Refusal } from '@freebets/contract';
import { certificate } from '../server/events/webhooks/endpoint.ts';

// A server that fails in the ways a network, a proxy or the service can. It stores requests and responds as the test
// says.

export interface Received {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

export type Reply = (response: ServerResponse) => unknown;

export interface FaultyServer {
  url: string;
  /** In the order of arrival. */
  received: Received[];
}

/** Returns the replies in turn, then repeats the last one. */
export async function faultyServer(...replies: Reply[]): Promise<FaultyServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    received.push({ path: request.url, headers: request.headers, body: bytes.toString(), at: performance.now() });
    (replies[received.length - 1] ?? replies.at(-1))?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

export const ok =
  (body: unknown = {}): Reply =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export const refusal =
  (error: Refusal, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response
      .writeHead(errors[error.error].status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(errorBody(error, 'request-1', 'http://127.0.0.1')));

export const page =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(`<h1>${status}</h1>`);

export const drop: Reply = (response) => response.destroy();

/** Starts a valid response and then sends nothing. */
export const cutOff: Reply = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"campaign_id":', () => response.destroy());
};

export const stall: Reply = () => {};

export const stallInBody: Reply = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"campaign_id":');
};

/** Addresses at which every call fails. Nothing is sent to the first three. */
export async function addressesOfNoService() {
  const closing = createServer().listen(0, '127.0.0.1');
  const secure = createTlsServer(certificate, () => assert.fail('a request came')).listen(0, '127.0.0.1');
  await Promise.all([once(closing, 'listening'), once(secure, 'listening')]);
  const refused = `http://127.0.0.1:${(closing.address() as AddressInfo).port}`;
  const untrusted = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  closing.close();
  after(() => secure.close());
  const { url: dropped } = await faultyServer(drop);
  return { refused, unknownName: 'http://nowhere.invalid', untrusted, dropped };
}
