import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../primitives/failure.ts';

// The smallest server that can receive events: on this machine only, one handler, whole bodies.

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
}

export interface Receiver {
  url: string;
  /** Breaks off what is still being answered. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const path = '/freebets-listen';

/** Whether a webhook is, or was, one of these. */
export const isListener = (url: string): boolean => URL.parse(url)?.pathname === path;

/** Whether one of these still runs there: it answers, though not to this. One that was killed does not. */
export const isListening = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'manual' }).then(
    ({ status }) => status === 405,
    () => false,
  );

export function portIn(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Failure(`${option} is a whole number from 0 to 65535; 0 takes any free one.`);
}

/** Far more than any event has. */
const maxBytes = 4 * 1024 * 1024;

export async function startReceiver(
  port: number,
  handle: (received: Received) => Promise<Reply>,
  onFault: (error: unknown) => void,
): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const { status, headers } = await replyTo(request, handle).catch((error) => {
      if (!request.destroyed) onFault(error);
      return { status: 500, headers: {} };
    });
    response.writeHead(status, headers).end();
  });
  await listen(server, port);
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code})`;
    throw new Failure(`Port ${port} of ${host} ${reason}: choose another with --port.`);
  });
}

async function replyTo(request: IncomingMessage, handle: (received: Received) => Promise<Reply>): Promise<Reply> {
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > maxBytes) return { status: 413, headers: { connection: 'close' } };
    chunks.push(chunk);
  }
  return handle({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
}
