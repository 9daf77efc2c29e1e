import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { sign } from '@freebets/contract';

// A load generator that costs little beside what it measures: requests are written and signed beforehand, sent over plain
// sockets, one at a time on each, and of an answer only the status and the length are looked at.

export interface Load {
  port: number;
  path: string;
  secret: string;
  connections: number;
  seconds: number;
  /** Every body is sent once; the run ends early when they are used up. */
  bodies: string[];
}

export interface LoadResult {
  perSecond: number;
  byStatus: Record<number, number>;
  p50Ms: number;
  p99Ms: number;
}

function rawRequest({ path, secret }: Load, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-REQUEST-SIGN: ${sign(body, secret)}\r\n\r\n${body}`,
  );
}

interface Run {
  next(): Buffer | undefined;
  answered(status: number, ms: number): void;
}

/** Sends one request after the other until there are no more. */
function drive(socket: Socket, run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    let sentAt = 0;
    const sendNext = () => {
      const request = run.next();
      if (request === undefined) return void socket.end(resolve);
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length < headEnd + 4 + length) return;
      run.answered(Number(received.slice(9, 12)), performance.now() - sentAt);
      received = '';
      sendNext();
    });
    sendNext();
  });
}

async function generate(load: Load): Promise<LoadResult> {
  const requests = load.bodies.map((body) => rawRequest(load, body));
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      return socket;
    }),
  );
  const latencies: number[] = [];
  const byStatus: Record<number, number> = {};
  const began = performance.now();
  const endsAt = began + load.seconds * 1000;
  let sent = 0;
  const run: Run = {
    next: () => (performance.now() < endsAt ? requests[sent++] : undefined),
    answered(status, ms) {
      byStatus[status] = (byStatus[status] ?? 0) + 1;
      latencies.push(ms);
    },
  };
  await Promise.all(sockets.map((socket) => drive(socket, run)));
  const elapsedS = (performance.now() - began) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: latencies.length / elapsedS, byStatus, p50Ms: at(0.5), p99Ms: at(0.99) };
}

parentPort?.postMessage(await generate(workerData as Load));
