/** Shared by the tests of sending: local endpoints of partners, and a sender. All are closed when the test ends. */
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { limitSockets } from '../../../../packages/server/src/events/webhooks/attempt.ts';
import { openSender, type Sender, type SenderSettings } from '../../../../packages/server/src/events/webhooks/post.ts';

export const json = { 'content-type': 'application/json' };

export function testSender(t: TestContext, settings: Partial<SenderSettings> = {}): Sender {
  const defaults = {
    allowPrivate: true,
    timeoutMs: 5000,
    connections: 4,
    userAgent: 'freebets/test',
    sockets: limitSockets(1000).join(),
  };
  const sender = openSender({ ...defaults, ...settings });
  t.after(() => sender.close());
  return sender;
}

export interface Endpoint {
  url: string;
  port: number;
  /** Every connection, including ended ones. */
  sockets: Socket[];
  /** The requests that came, as lines like "POST /path". */
  requests: string[];
}

/** An endpoint that speaks HTTP. */
export async function httpEndpoint(t: TestContext, listener: RequestListener): Promise<Endpoint> {
  const requests: string[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => listener(request, response));
  });
  return { ...(await listening(t, server)), requests };
}

/** An endpoint with a custom handler for connections. */
export async function rawEndpoint(t: TestContext, onConnection: (socket: Socket) => void): Promise<Endpoint> {
  const endpoint = await listening(t, createServer(onConnection));
  return { ...endpoint, requests: [] };
}

/** An endpoint that waits for a request, and then writes these bytes. */
export const answering = (t: TestContext, answer: string): Promise<Endpoint> =>
  rawEndpoint(t, (socket) => socket.on('data', () => socket.write(answer)));

export async function listening(t: TestContext, server: Server): Promise<Omit<Endpoint, 'requests'>> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/events`, port, sockets };
}

/** Self-signed, for partner.test, until 2120; it protects nothing. */
export const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggfhaWfIBF8Aa4W0Z
c1TKV7VmGOzy+NHW4FArPqWG7OehRANCAASB5Mo0fDUt7OGhp9VKbI0V8KWBjDJR
7KrxeSJXJ3SOofEDcnkXYrV1UC711EipIEOLRrA7NGQu3y4SIp9whpNh
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBajCCARCgAwIBAgIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxwYXJ0bmVy
LnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBcxFTATBgNV
BAMMDHBhcnRuZXIudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIHkyjR8
NS3s4aGn1UpsjRXwpYGMMlHsqvF5IlcndI6h8QNyeRditXVQLvXUSKkgQ4tGsDs0
ZC7fLhIin3CGk2GjSzBJMBcGA1UdEQQQMA6CDHBhcnRuZXIudGVzdDAPBgNVHRMB
Af8EBTADAQH/MB0GA1UdDgQWBBT/Ii19qVfm0Ss2XQN0lfPsjYZZCzAKBggqhkjO
PQQDAgNIADBFAiBqgke5ghO/80F8sZa0hO/dsWnbSCu5epkcd+McqJhWqgIhAL9Z
WXJdzxOICt4UbLciQGPyMTWFzSrWu2wU/UI8eM68
-----END CERTIFICATE-----`,
};
