import { argv } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { signerOf, signRequest } from '@freebets/client';

// Times the reads of one partner and the readiness probe, one request after the other. It runs in its own process,
// because a load generator on the same event loop would be measured too. Prints the result as JSON.

export interface ProbeResult {
  reads: number;
  readP99Ms: number;
  readyP99Ms: number;
}

const [, , port, clientId, secret, seconds] = argv as [string, string, string, string, string, string];
const origin = `http://127.0.0.1:${port}`;
const until = performance.now() + Number(seconds) * 1000;
const answerWithinMs = 60_000;
const pauseMs = 10;

async function timed(send: () => Promise<Response>): Promise<number> {
  const began = performance.now();
  const response = await send();
  await response.arrayBuffer();
  if (response.status !== 200) console.error(`probe: ${response.status} after ${performance.now() - began} ms`);
  return performance.now() - began;
}

async function repeat(send: () => Promise<Response>): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < until) {
    times.push(await timed(send));
    await delay(pauseMs);
  }
  return times.sort((a, b) => a - b);
}

const p99 = (sorted: number[]): number => sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;

const bytes = Buffer.from(JSON.stringify({ client_id: Number(clientId), limit: 50 }));
const { path, ...request } = await signRequest(signerOf(secret), 'FreeBetList', bytes);
const [reads, ready] = await Promise.all([
  repeat(() => fetch(origin + path, { method: 'POST', signal: AbortSignal.timeout(answerWithinMs), ...request })),
  repeat(() => fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) })),
]);
const result: ProbeResult = { reads: reads.length, readP99Ms: p99(reads), readyP99Ms: p99(ready) };
console.log(JSON.stringify(result));
