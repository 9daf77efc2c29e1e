import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call, demo, post, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { databaseProxy } from '../../support/database-proxy.ts';
import { assertCountsHold } from '../../support/invariants.ts';
import { listenLive } from '../../support/live.ts';
import { assertAcknowledgedAreThere, issuesFor, type Load, startLoad } from '../../support/load.ts';
import { isLong } from '../../support/long.ts';
import { freshMetrics } from '../../support/metrics.ts';
import { childrenOf } from '../../support/processes.ts';
import { campaign } from '../../support/requests.ts';
import { serverProcess } from '../../support/server.ts';
import { acceptedStaffCall, signedIn } from '../../support/staff.ts';
import { stopwatch, until } from '../../support/waiting.ts';

// Several processes that serve as one server.

const { env, sql } = await testDatabase();
const processes = 2;
const server = await serverProcess({
  ...env,
  PROCESSES: String(processes),
  RATE_LIMIT: '100000',
  RATE_BURST: '100000',
});
const { url } = server;
const lines: Record<string, unknown>[] = [];
createInterface({ input: server.child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
  lines.push(JSON.parse(line)),
);

/** By the server, but of requests. */
const said = () => JSON.stringify(lines.filter(({ operation }) => operation === undefined));

const isReady = async (to = url) => (await post(`${to}/readyz`, '', {}, 'GET')).status === 200;

async function newCampaign(): Promise<string> {
  const campaign_id = randomUUID();
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id })));
  return campaign_id;
}

const totalOf = (text: string, name: string): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);

const unanswered = ({ sent }: Load) =>
  sent.filter(({ answer }) => answer?.status !== 200).map(({ answer }) => answer?.text ?? 'no answer');

test('processes share requests and have aggregated metrics', async () => {
  await until('all are ready', 30_000, isReady);
  assert.equal(childrenOf(server.child).length, processes);
  const before = totalOf(await freshMetrics(url), 'freebets_requests_total');
  const answers = await Promise.all(Array.from({ length: 40 }, () => call(url, 'CampaignList', {})));
  assert.ok(answers.every(({ status }) => status === 200));
  const text = await freshMetrics(url);
  assert.equal(totalOf(text, 'freebets_processes'), processes);
  // Each question for the metrics is a request, too.
  assert.ok(totalOf(text, 'freebets_requests_total') - before >= 40, text);
  assert.equal(totalOf(text, 'freebets_database_up'), 1);
});

test('a killed process is logged and replaced, the server is unready meanwhile, and no counter decreases', async () => {
  const counted = totalOf(await freshMetrics(url), 'freebets_requests_total');
  const [victim = 0, other] = childrenOf(server.child);
  const isOfVictim = ({ pid }: Record<string, unknown>) => pid === victim;
  process.kill(victim, 'SIGKILL');
  // A connection that was the victim's fails: that says nothing about the others.
  const hears = (isSo: boolean) =>
    isReady().then(
      (is) => is === isSo,
      () => false,
    );
  await until('it is not ready', 5000, () => hears(false));
  const isFull = () => childrenOf(server.child).length === processes;
  await until('all are ready again', 30_000, async () => isFull() && (await hears(true)));
  const pids = childrenOf(server.child);
  assert.ok(pids.includes(other as number) && !pids.includes(victim));
  await until('it is said', 5000, () => lines.some(isOfVictim));
  const line = lines.find(isOfVictim);
  assert.deepEqual([line?.level, line?.signal], [50, 'SIGKILL']);
  assert.ok(totalOf(await freshMetrics(url), 'freebets_requests_total') >= counted);
});

test('process metrics show the slowest process and omit values that cannot be aggregated', async () => {
  const text = await freshMetrics(url);
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
  ]) {
    assert.ok(totalOf(text, name) > 0, name);
  }
  assert.ok(totalOf(text, 'nodejs_eventloop_lag_p99_seconds') < 10);
  assert.doesNotMatch(text, /eventloop_utilization_summary/);
  assert.ok(totalOf(text, 'freebets_sweeper_lag_seconds') < 60, 'of the one process that sweeps');
});

const [limit, burst] = [20, 60];
const proxy = await databaseProxy(env);
/** With a rate, with probes at a port of their own, and with a database that can be away. */
const limited = await serverProcess({
  ...proxy.env,
  PROCESSES: '2',
  RATE_LIMIT: String(limit),
  RATE_BURST: String(burst),
  INTERNAL_PORT: '0',
});
const probes = limited.internalUrl ?? '';

test('a hanging process makes the server unready and is killed if it stays silent', async () => {
  await until('all are ready', 30_000, () => isReady(probes));
  const [pid = 0] = childrenOf(limited.child);
  process.kill(pid, 'SIGSTOP');
  await until('it is not ready', 15_000, async () => !(await isReady(probes)));
  const { status, text } = await post(`${probes}/metrics`, '', {}, 'GET');
  assert.deepEqual([status, totalOf(text, 'freebets_processes')], [200, 1]);
  if (isLong) await until('another is in its place', 60_000, () => !childrenOf(limited.child).includes(pid));
  else process.kill(pid, 'SIGCONT');
  await until('all are ready again', 30_000, () => isReady(probes));
  assert.equal(childrenOf(limited.child).length, 2);
});

test('during a database outage the metrics show it and unknown values are NaN', async () => {
  await proxy.refuse();
  let text = '';
  await until('the metrics say so', 30_000, async () => {
    text = await freshMetrics(probes);
    return totalOf(text, 'freebets_database_up') === 0;
  });
  assert.match(text, /^freebets_activity_lag_seconds Nan$/im);
  assert.equal(totalOf(text, 'freebets_processes'), 2);
  assert.equal(await isReady(probes), false);
  await proxy.back();
  await until('all are ready again', 30_000, () => isReady(probes));
});

test('processes are replaced one after another without a failed request', async (t) => {
  const before = childrenOf(server.child);
  const load = startLoad(url, issuesFor(await newCampaign(), 100), 8, demo, 5);
  await until('acknowledged issues', 30_000, () => load.acknowledged() >= 200);
  server.child.kill('SIGHUP');
  let notReady = 0;
  // A start needs a second or two of processor, which others may be using.
  await until('others are there', 180_000, async () => {
    if (!(await isReady())) notReady += 1;
    const pids = childrenOf(server.child);
    return pids.length === processes && pids.every((pid) => !before.includes(pid));
  }).catch((error: Error) => assert.fail(`${error.message}: ${said()}`));
  const acknowledged = load.acknowledged();
  await until('more are acknowledged', 10_000, () => load.acknowledged() >= acknowledged + 200);
  await load.stop();
  t.diagnostic(`${load.acknowledged()} issues meanwhile`);
  assert.deepEqual(unanswered(load), []);
  assert.equal(notReady, 0, said());
  await assertAcknowledgedAreThere(url, load);
  await assertCountsHold(sql);
});

test('a rate limit applies to all processes together', async () => {
  const began = performance.now();
  const list = () => call(limited.url, 'CampaignList', {}, rival);
  const answers = await Promise.all(Array.from({ length: 6 * burst }, list));
  const elapsedS = (performance.now() - began) / 1000;
  const taken = answers.filter(({ status }) => status === 200).length;
  assert.ok(taken >= burst / 2 && taken <= burst + limit * elapsedS + 1, `${taken} in ${elapsedS} s`);
  const refused = answers.find(({ status }) => status === 429);
  assert.match(String(refused?.headers['retry-after']), /^[1-9]/);
  await until('a request is taken again', 5000, async () => (await list()).status === 200);
  assert.equal((await post(`${limited.url}/metrics`, '', {}, 'GET')).status, 404, 'probes have a port of their own');
  assert.equal(await limited.end('SIGTERM'), 0);
});

test('disabling a staff member ends their streams in all processes', async () => {
  const [viewer, admin] = [await signedIn(sql, 'viewer'), await signedIn(sql, 'admin')];
  // Connections are handed out in turn.
  const streams = await Promise.all(Array.from({ length: 2 * processes }, () => listenLive(url, viewer)));
  const tookMs = stopwatch();
  await acceptedStaffCall(url, '/Staff/Disable', { staff_id: viewer.staffId, reason: 'Dismissed' }, admin);
  await Promise.all(streams.map(({ ended }) => ended));
  assert.ok(tookMs() < 10_000, `${tookMs()} ms`);
});

test('SIGTERM ends all processes after their requests in flight', async () => {
  const pids = childrenOf(server.child);
  const load = startLoad(url, issuesFor(await newCampaign(), 100), 16);
  await until('acknowledged issues', 30_000, () => load.acknowledged() >= 100);
  assert.equal(await server.end('SIGTERM'), 0);
  await load.stop();
  for (const { answer } of load.sent) assert.ok([200, 503, undefined].includes(answer?.status), answer?.text ?? '');
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/);
  await assertCountsHold(sql);
});

test('a failed start prints one sentence, like a single process', async () => {
  const wrong = { ...env, PROCESSES: '2', SECRETS_KEY: Buffer.alloc(32, 9).toString('base64') };
  await assert.rejects(serverProcess(wrong), /ended with 1 before it was serving/);
});
