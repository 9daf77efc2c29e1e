import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type SignedRequest, signRequest } from '@freebets/client';
import { basePath, type OperationName, paths, sign, signatureHeader } from '@freebets/contract';
import autocannon from 'autocannon';
import { demoPartner } from '../packages/server/src/demo/demo.ts';

// HTTP load from a separate program. Requests are signed beforehand and sent as fast as responses arrive, one at a
// time on each connection.

export interface Load {
  port: number;
  operation: OperationName;
  /** Sent in this order, then from the start again. */
  requests: { body: object; secret?: string }[];
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
  /** The pause between a response and the next request on the same connection. */
  pauseMs?: number;
}

export interface LoadResult {
  /** All responses, and the responses with an error. */
  answers: number;
  refused: number;
  /** Without responses that have an error. */
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export type RunLoad = (load: Load) => Promise<LoadResult>;

/** With the HMAC of node:crypto: 48,000 bodies take 0.7 s, and 2.5 s with WebCrypto. */
const signed = ({ operation, requests }: Load): Promise<SignedRequest[]> =>
  Promise.all(
    requests.map(({ body, secret = demoPartner.secret }) =>
      signRequest((bytes) => sign(bytes, secret), operation, Buffer.from(JSON.stringify(body))),
    ),
  );

const urlOf = ({ port, operation }: Load) => `http://127.0.0.1:${port}${basePath}${paths[operation].path}`;

function resultOf(answers: number, refused: number, broken: number, seconds: number, p50Ms: number, p99Ms: number) {
  if (broken > 0) throw new Error(`${broken} requests had no answer`);
  return { answers, refused, perSecond: (answers - refused) / seconds, p50Ms, p99Ms };
}

const script = fileURLToPath(new URL('./wrk.lua', import.meta.url));

export const runWrk: RunLoad = async (load) => {
  const folder = mkdtempSync(join(tmpdir(), 'freebets-load-'));
  const file = join(folder, 'requests');
  try {
    const lines = (await signed(load)).map(({ body, headers }) => {
      const signature = headers[signatureHeader] ?? '';
      return `${body.length + signature.length}\n${signature}${Buffer.from(body)}\n`;
    });
    writeFileSync(file, lines.join(''));
    const options = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--timeout=30s', '-s', script];
    const headers = Object.entries(load.headers ?? {}).flat();
    const env = { ...process.env, ...(load.pauseMs !== undefined && { BENCH_PAUSE_MS: String(load.pauseMs) }) };
    const child = spawn('wrk', [...options, urlOf(load), '--', file, ...headers], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    if (code !== 0) throw new Error(`wrk ended with ${code}: ${output}`);
    const { requests, durationUs, refused, broken, p50Us, p99Us } = JSON.parse(output.slice(output.lastIndexOf('{')));
    return resultOf(requests, refused, broken, durationUs / 1e6, p50Us / 1000, p99Us / 1000);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

export const runAutocannon: RunLoad = async (load) => {
  const requests = await signed(load);
  let sent = 0;
  const { pauseMs } = load;
  const result = await autocannon({
    url: urlOf(load),
    connections: load.connections,
    duration: load.seconds,
    timeout: 30,
    ...(pauseMs !== undefined && { overallRate: (load.connections * 1000) / pauseMs }),
    requests: [
      {
        method: 'POST',
        setupRequest: (request) => {
          const { body, headers } = requests[sent++ % requests.length] as SignedRequest;
          return { ...request, body: Buffer.from(body), headers: { ...request.headers, ...load.headers, ...headers } };
        },
      },
    ],
  });
  const { p50, p99 } = result.latency;
  const answers = result['2xx'] + result['3xx'] + result.non2xx;
  return resultOf(answers, result['4xx'] + result['5xx'], result.errors, result.duration, p50, p99);
};
