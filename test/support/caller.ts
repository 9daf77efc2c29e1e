import { Agent, request } from 'node:http';
import { signRequest } from '@freebets/client';
import { type OperationName, sign } from '@freebets/contract';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape, right and wrong ones.
  body: any;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/** Longer than any deadline of a server. If it passes, the server hangs, and the test can report where. */
const silenceMs = 180_000;

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Sends exactly these bytes. Throws if the connection closes before the response, as for a partner. */
export function post(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
  method = 'POST',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, { method, agent, headers: { ...length, ...headers } }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== '';
        const decoded = isJson && !incoming.headers['content-encoding'] ? JSON.parse(text) : undefined;
        resolve({ status: incoming.statusCode ?? 0, body: decoded, headers: incoming.headers, text });
      });
    });
    outgoing.on('error', reject);
    outgoing.setTimeout(silenceMs, () =>
      outgoing.destroy(new Error(`no answer for ${silenceMs} ms: ${method} ${url}`)),
    );
    outgoing.end(body);
  });
}

export const json = { 'content-type': 'application/json' };

export interface Partner {
  clientId: number;
  secret: string;
}

export const demo: Partner = { clientId: 1, secret: 'demo-partner-secret' };
export const rival: Partner = { clientId: 2, secret: 'demo-rival-secret' };

/** Signs exactly these bytes, valid or not, and calls an operation with them. */
export async function sendSigned(url: string, name: OperationName, body: string | Buffer, { secret } = demo) {
  // The HMAC of node:crypto is synchronous. WebCrypto adds 0.1 ms to a call of 0.6 to 1 ms, and concurrent calls
  // would not be sent in order.
  const signed = await signRequest((bytes) => sign(bytes, secret), name, Buffer.from(body));
  return post(url + signed.path, signed.body, signed.headers);
}

/** Signs a body, valid or not, and calls an operation with it. */
export const send = (url: string, name: OperationName, body: unknown, caller = demo): Promise<Answer> =>
  sendSigned(url, name, JSON.stringify(body), caller);

/** Calls an operation as a partner; adds `client_id`. */
export const call = (url: string, name: OperationName, body: object, partner = demo): Promise<Answer> =>
  send(url, name, { client_id: partner.clientId, ...body }, partner);
