import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign, signatureHeader, timedPrefix, timeHeader } from '@freebets/contract';
import type { Signer } from '../events/webhooks/request.ts';
import { Failure } from '../primitives/failure.ts';

// A minimal webhook receiver: listens on the loopback address only, with one handler that gets whole bodies.

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
  /** Closes open connections too. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const path = '/freebets-listen';

/** Whether the URL belongs to a listener, running or not. */
export const isListenerUrl = (url: string): boolean => URL.parse(url)?.pathname === path;

/** Whether a listener still runs at this URL: it responds to GET with 405. */
export const isListening = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'manual' }).then(
    ({ status }) => status === 405,
    () => false,
  );

export function portIn(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Failure(`${option} must be a whole number from 0 to 65535; 0 picks a free port.`);
}

/** Far more than any event needs. */
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
    const reason = error.code === 'EADDRINUSE' ? 'is taken' : `can't be used (${error.code})`;
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

// Verifies an event as a partner must. Checks both signatures, although one of them would be enough.

const toleranceMs = 5 * 60 * 1000;

/** Describes the first problem; undefined if the signatures are valid. */
export function signatureProblem(signer: Signer, received: Received, nowMs: number): string | undefined {
  return (
    wrongTime(signer, received, nowMs) ??
    wrongSignature(signer.keys, received) ??
    wrongStandardSignature(signer.keys, received, nowMs)
  );
}

/** Only strict signing requires this header. */
function wrongTime({ isStrict }: Signer, { headers }: Received, nowMs: number): string | undefined {
  if (headers[timeHeader] === undefined) return isStrict ? `${timeHeader.toUpperCase()} is missing` : undefined;
  return isRecent(textOf(headers, timeHeader), nowMs)
    ? undefined
    : `${timeHeader.toUpperCase()} is not within the last five minutes`;
}

function wrongSignature(keys: readonly KeyObject[], { path, headers, body }: Received): string | undefined {
  const given = textOf(headers, signatureHeader);
  const prefix = headers[timeHeader] === undefined ? '' : timedPrefix(textOf(headers, timeHeader), path);
  const isRight = keys.some((key) => areEqual(given, sign(body, key, prefix)));
  return isRight ? undefined : `${signatureHeader.toUpperCase()} is ${given === '' ? 'missing' : 'wrong'}`;
}

/** Checks the signature of standardwebhooks.com. The header may hold one signature for each secret. */
function wrongStandardSignature(keys: readonly KeyObject[], { headers, body }: Received, nowMs: number) {
  const id = textOf(headers, 'webhook-id');
  const timestamp = textOf(headers, 'webhook-timestamp');
  const given = textOf(headers, 'webhook-signature').split(' ');
  if (!isRecent(timestamp, nowMs)) return 'webhook-timestamp is not within the last five minutes';
  const isRight = keys.some((key) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return given.some((signature) => areEqual(signature, `v1,${hmac}`));
  });
  return isRight ? undefined : 'webhook-signature is wrong';
}

const isRecent = (seconds: string, nowMs: number): boolean =>
  /^\d{1,11}$/.test(seconds) && Math.abs(nowMs - Number(seconds) * 1000) <= toleranceMs;

const textOf = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
