import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { basePath, type OperationName, operations } from '@freebets/contract';
import { demoPartner } from '../packages/server/src/demo/demo.ts';
import type { Load, LoadResult } from './load.ts';
import type { BenchServer } from './server.ts';

export const connections = 64;
export const seconds = 5;
export const rounds = 3;
/** Enough that no run uses them up. */
export const bodiesPerRun = 60_000;

/** Sends these bodies to an operation, from a thread of its own. */
export async function runLoad(
  server: BenchServer,
  operation: OperationName,
  bodies: object[],
  secret = demoPartner.secret,
): Promise<LoadResult> {
  const path = basePath + operations[operation].path;
  const texts = bodies.map((body) => JSON.stringify(body));
  const workerData: Load = { port: server.port, path, secret, connections, seconds, bodies: texts };
  const worker = new Worker(new URL('./load.ts', import.meta.url), { workerData });
  const [result] = (await once(worker, 'message')) as [LoadResult];
  return result;
}

export function print(name: string, { perSecond, p50Ms, p99Ms, byStatus }: LoadResult): void {
  const rate = `${perSecond.toFixed(0).padStart(6)}/s`;
  const times = `p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms`;
  console.log(`  ${name.padEnd(16)} ${rate}   ${times}   answers ${JSON.stringify(byStatus)}`);
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export function printRatio(name: string, rates: number[], against: string, base: number[]): void {
  console.log(`  ${name} against ${against}: ${(median(rates) / median(base)).toFixed(2)} × (medians)\n`);
}
