import { createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

// A cheap webhook endpoint: it counts the events and measures their age on arrival.

export interface Count {
  received: number;
  distinct: number;
  p50Ms: number;
  p99Ms: number;
}

const answer = 'HTTP/1.1 204 No Content\r\n\r\n';
let seen = new Set<string>();
let agesMs: number[] = [];

function take(body: string): void {
  seen.add(/"event_id":"([^"]+)"/.exec(body)?.[1] ?? '');
  agesMs.push(Date.now() - Date.parse(/"occurred_at":"([^"]+)"/.exec(body)?.[1] ?? ''));
}

const server = createServer((socket) => {
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < headEnd + 4 + length) return;
    take(text.slice(headEnd + 4));
    text = '';
    socket.write(answer);
  });
});

parentPort?.on('message', () => {
  agesMs.sort((a, b) => a - b);
  const at = (share: number) => agesMs[Math.floor(agesMs.length * share)] ?? 0;
  const count: Count = { received: agesMs.length, distinct: seen.size, p50Ms: at(0.5), p99Ms: at(0.99) };
  seen = new Set();
  agesMs = [];
  parentPort?.postMessage(count);
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as { port: number }).port));
