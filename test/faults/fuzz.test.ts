import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { basePath, ErrorBody, errors, operations } from '@freebets/contract';
import fc from 'fast-check';
import { assertMatches } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { inParallel } from '../support/load.ts';
import { times } from '../support/long.ts';
import { campaign, directIssue } from '../support/requests.ts';
import { serverProcess } from '../support/server.ts';
import { knownCampaign, knownIssue, type Mutant, mutants, playedIssue } from './mutants.ts';

// Thousands of requests that went wrong somewhere. They are all the caller's fault: never a
// 5xx, and a refusal always says so in the words of the contract.

const runs = times(12, 15);
const requestsPerRun = 200;
const maxBodyBytes = 1024 * 1024;
const patienceMs = 10_000;

const { env, sql } = await testDatabase();
const { url, child } = await serverProcess(env);
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Heard {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** Like a caller's HTTP client, but the path is sent unchanged. */
function send({ method, path, headers, body }: Mutant): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(body.length) };
    const options = { agent, hostname, port, method, path, headers: { ...length, ...headers } };
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode: status = 0, headers } = incoming;
        resolve({ status, headers, text: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on('error', reject);
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error(`no answer within ${patienceMs} ms`)));
    outgoing.end(body);
  });
}

function assertWellBehaved({ method }: Mutant, { status, headers, text }: Heard): void {
  assert.ok(status >= 200 && status < 500, `status ${status}`);
  if (status < 400 || method === 'HEAD') return;
  assert.match(String(headers['content-type']), /^application\/json/);
  const body = JSON.parse(text);
  assertMatches(ErrorBody, body);
  assert.equal(headers['x-request-id'], body.request_id);
  assert.equal(errors[body.error as keyof typeof errors]?.status, status);
  assert.equal(errors[body.error as keyof typeof errors]?.code, body.code);
  assert.ok(text.length < 100_000, `an error of ${text.length} characters`);
}

const shown = ({ method, path, headers, body }: Mutant) =>
  `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body.subarray(0, 600).toString('latin1'))}`;

const isOperation = (path: string) => Object.values(operations).some((operation) => basePath + operation.path === path);

const statuses = new Map<number, number>();
/** What went wrong, each kind of it once, with the first request that brought it about. */
const faults = new Map<string, string>();

async function check(mutant: Mutant): Promise<void> {
  let heard: Heard | undefined;
  try {
    heard = await send(mutant);
    statuses.set(heard.status, (statuses.get(heard.status) ?? 0) + 1);
    assertWellBehaved(mutant, heard);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A body too large may be refused, and its connection closed, before all of it has been sent.
    if (mutant.body.length > maxBodyBytes && (code === 'ECONNRESET' || code === 'EPIPE')) return;
    const where = isOperation(mutant.path) ? 'an operation' : 'another path';
    const kind = `${where}: ${message.split('\n')[0]} (${heard?.status}, ${heard?.headers['content-type']})`;
    if (!faults.has(kind)) faults.set(kind, `sent ${shown(mutant)}\n  answered ${heard?.text.slice(0, 600)}`);
  }
}

async function prepare(): Promise<void> {
  for (const id of [knownCampaign, 'stopped']) {
    assert.equal((await call(url, 'CampaignCreate', campaign({ campaign_id: id }))).status, 200);
  }
  for (const issue_id of [knownIssue, playedIssue]) {
    assert.equal((await call(url, 'Issue', directIssue({ issue_id, quantity: 1000 }))).status, 200);
  }
}

test('mutated requests never get a 5xx, and every refusal is in the words of the contract', async (t) => {
  await prepare();
  const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const began = performance.now();
  for (let run = 0; run < runs; run++) {
    await inParallel(fc.sample(mutants, { seed: seed + run, numRuns: requestsPerRun }), 64, check);
  }
  const summary = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  const asked = runs * requestsPerRun;
  t.diagnostic(`${asked} requests in ${((performance.now() - began) / 1000).toFixed(1)} s: ${summary.join(', ')}`);
  const list = [...faults].map(([kind, example]) => `- ${kind}\n  ${example}`);
  assert.equal(list.length, 0, `FUZZ_SEED=${seed} brings about\n${list.join('\n')}`);
});

test('and afterwards the service works as before', async () => {
  assert.equal(child.exitCode, null);
  const issued = await call(url, 'Issue', directIssue());
  assert.equal(issued.status, 200, issued.text);
  const { status } = await call(url, 'Cancel', { issue_id: issued.body.issue_id });
  assert.equal(status, 200);
  await assertCountsHold(sql);
});
