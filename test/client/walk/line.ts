import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { errorBody, errors } from '@freebets/contract';
import { errorVectors } from '../../support/vectors.ts';

// A proxy between a client and the service. It loses the first response to every request after the service has carried it
// out, each time in another way. A retry must send the same bytes, or the service would carry it out twice.

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const losses: ((response: ServerResponse) => void)[] = [
  (response) => response.destroy(),
  (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>'),
  (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"issue_id":', () => response.destroy());
  },
  (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
];

export interface LosingLine {
  url: string;
  /** How many requests were carried out, and how often they came. */
  count: { different: number; received: number };
}

export async function losingLine(server: string): Promise<LosingLine> {
  const known = new Set<string>();
  const count = { different: 0, received: 0 };
  const carryOut = async ({ url, headers }: IncomingMessage, body: Buffer<ArrayBuffer>) => {
    const kept = ['content-type', 'x-request-sign', 'x-request-time'].flatMap((name): [string, string][] =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    );
    return fetch(server + url, { method: 'POST', headers: kept, body });
  };
  const url = await listen(async (request, response) => {
    const body = await buffer(request);
    count.received += 1;
    const answer = await carryOut(request, body as Buffer<ArrayBuffer>);
    const text = await answer.text();
    const key = `${request.url} ${body}`;
    if (!known.has(key)) {
      known.add(key);
      losses[count.different++ % losses.length]?.(response);
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return { url, count };
}

/** Responses for a job that is being sent. */
const ofJob = {
  open: { status: 200, body: { job_id: 'one', name: 'A job', status: 'open', part: 1 } },
  stopped: { status: 200, body: { job_id: 'one', name: 'A job', status: 'stopped', started_at: null } },
  failed: {
    status: 200,
    body: { job_id: 'one', name: 'A job', status: 'failed', failure: { reason: 'It is broken.' } },
  },
  started: { status: errors.job_started.status, body: errorBody({ error: 'job_started' }, 'request-1', '') },
};

interface Item {
  issue_id: string;
  player_id: string;
}

/** The ID of a free bet to cancel begins with its player. */
const itemOf = (issue_id: string): Item => ({ issue_id, player_id: issue_id.split(' ')[0] ?? '' });

/** Accepts the items of `taken` at once, those of `later` the second time, and those of `never` not at all. */
function batchAnswer(items: Item[], seen: Map<string, number>): object {
  const results = items.map(({ issue_id, player_id }) => {
    const came = (seen.get(issue_id) ?? 0) + 1;
    seen.set(issue_id, came);
    const error = player_id === 'never' ? 'internal_error' : 'unavailable';
    const isTaken = player_id === 'taken' || (player_id === 'later' && came > 1);
    return isTaken ? { issue_id, player_id, came } : { issue_id, player_id, came, error: { error } };
  });
  return { results };
}

/**
 * Responds with the error vectors: the first at `/0`, the second at `/1`, and so on. `/other` is not HTTP. A list such as
 * `/other,1` is used in order for the requests with one ID, without `Retry-After`. Batches get a result for each item.
 */
export function errorServer(): Promise<string> {
  const received = new Map<string, number>();
  return listen(async (request, response) => {
    const { issue_id, job_id, items, issue_ids } = JSON.parse((await buffer(request)).toString());
    if (request.url?.endsWith('/Batch')) {
      return void response.writeHead(200).end(JSON.stringify(batchAnswer(items ?? issue_ids.map(itemOf), received)));
    }
    const path = request.url?.split('/')[1] ?? '';
    const [turns, key] = [path.split(','), `${path} ${issue_id ?? job_id}`];
    const turn = received.get(key) ?? 0;
    received.set(key, turn + 1);
    const name = turns[turn % turns.length] ?? '';
    if (name === 'other') return void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n');
    const { status, body } = ofJob[name as keyof typeof ofJob] ?? {};
    if (status !== undefined) return void response.writeHead(status).end(JSON.stringify(body));
    const vector = errorVectors[Number(name)];
    response.writeHead(vector?.status ?? 404, turns.length === 1 ? vector?.headers : {}).end(vector?.body);
  });
}
