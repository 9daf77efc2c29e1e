import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertAcknowledgedAreThere, issuedAmong, issuesFor, type Load, startLoad } from '../support/load.ts';
import { campaign } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A server that gets SIGTERM finishes its accepted requests and accepts no more. A request either gets its response, or was
// never carried out: the connection was closed before the server took it.

const { env, sql } = await testDatabase();
const other = await testServer(env);

async function newCampaign(): Promise<string> {
  const id = randomUUID();
  const created = await call(other.url, 'CampaignCreate', campaign({ campaign_id: id }));
  assert.equal(created.status, 200, created.text);
  return id;
}

async function assertNothingUnanswered({ sent }: Load): Promise<void> {
  for (const { status, body, headers, text } of sent.flatMap(({ answer }) => answer ?? [])) {
    if (status === 200) continue;
    assert.deepEqual([status, body.error], [503, 'unavailable'], text);
    assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
  }
  const notDone = sent.filter(({ answer }) => answer?.status !== 200).map(({ issue }) => issue.issue_id);
  assert.deepEqual(await issuedAmong(sql, notDone), new Set(), 'carried out, but not acknowledged');
}

test('SIGTERM under load: accepted requests get a response, and the server exits with 0', async (t) => {
  const { url, end } = await serverProcess(env);
  const load = startLoad(url, issuesFor(await newCampaign(), 500), 64);
  await until('acknowledged issues', 30_000, () => load.acknowledged() >= 300);
  const began = performance.now();
  const code = await end('SIGTERM', 10_000);
  const took = performance.now() - began;
  await load.stop();
  const count = (status: number | undefined) => load.sent.filter(({ answer }) => answer?.status === status).length;
  t.diagnostic(
    `ended in ${Math.round(took)} ms: ${count(200)} done, ${count(503)} answered 503, ${count(undefined)} closed`,
  );
  assert.equal(code, 0);
  await assertNothingUnanswered(load);
  await assertAcknowledgedAreThere(other.url, load);
  await assertCountsHold(sql);
});

test('SIGTERM does not wait for a caller who never finishes a request', async () => {
  const { url, end } = await serverProcess({ ...env, REQUEST_DEADLINE_MS: '5000' });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    'POST /v3/FreeBets/Issue HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
  );
  assert.equal((await call(url, 'FreeBetList', {})).status, 200);
  try {
    assert.equal(await end('SIGTERM', 12_000), 0);
  } finally {
    socket.destroy();
  }
});
