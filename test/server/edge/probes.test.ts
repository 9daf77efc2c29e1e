import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../../packages/server/src/primitives/version.ts';
import { accepted, refused } from '../../support/answers.ts';
import { call, post, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { campaign, directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const get = (address: string) => post(address, '', {}, 'GET');

/** The samples of one metric, by their labels as they are written. */
async function samplesOf(to: string, name: string): Promise<Map<string, number>> {
  const { text } = await get(`${to}/metrics`);
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return new Map(lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** The figures are at most a second old. */
async function samplesWhen(to: string, name: string, isSo: (samples: Map<string, number>) => boolean) {
  let samples = new Map<string, number>();
  await until(`${name} shows the counts`, 5000, async () => {
    samples = await samplesOf(to, name);
    return isSo(samples);
  });
  return samples;
}

test('the probes of a running server report alive and ready', async () => {
  for (const path of ['/livez', '/readyz']) {
    const answer = await get(url + path);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { status: 'ok' });
  }
});

test('requests are counted by operation, status and error, and timed by operation', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'counted' })));
  for (let i = 0; i < 3; i++) refused('game_not_available', await call(url, 'Issue', directIssue({ games: ['none'] })));
  accepted('Issue', await call(url, 'Issue', directIssue()));
  refused('forbidden', await call(url, 'Cancel', {}, { ...rival, secret: 'wrong' }));
  refused('not_json', await post(`${url}/v3/Game/List`, '{}', {}));
  const requests = await samplesWhen(url, 'freebets_requests_total', (samples) =>
    samples.has('{operation="GameList",status="415",error="not_json"}'),
  );
  assert.equal(requests.get('{operation="CampaignCreate",status="200",error=""}'), 1);
  assert.equal(requests.get('{operation="Issue",status="400",error="game_not_available"}'), 3);
  assert.equal(requests.get('{operation="Issue",status="200",error=""}'), 1);
  assert.equal(requests.get('{operation="Cancel",status="403",error="forbidden"}'), 1);
  assert.equal(requests.get('{operation="GameList",status="415",error="not_json"}'), 1);
  const timed = await samplesOf(url, 'freebets_request_seconds_count');
  assert.equal(timed.get('{operation="Issue"}'), 4);
  const seconds = await samplesOf(url, 'freebets_request_seconds_sum');
  assert.ok(Number(seconds.get('{operation="Issue"}')) > 0);
});

test('refused items of a batch with status 200 are counted', async () => {
  const items = [directIssue(), directIssue({ games: ['none'] }), directIssue({ games: ['none'] })];
  accepted('IssueBatch', await call(url, 'IssueBatch', { items, dry_run: true }));
  accepted('IssueBatch', await call(url, 'IssueBatch', { items }));
  const refusedItem = '{operation="IssueBatch",error="game_not_available"}';
  const samples = await samplesWhen(url, 'freebets_batch_items_refused_total', (each) => each.has(refusedItem));
  assert.deepEqual([...samples], [[refusedItem, 2]]);
});

test('which version runs, who waits for a connection, and how late things are', async () => {
  assert.deepEqual(
    [...(await samplesOf(url, 'freebets_build_info'))],
    [[`{version="${version}",node="${process.versions.node}"}`, 1]],
  );
  const waiting = await samplesOf(url, 'freebets_pool_waiting');
  assert.equal(waiting.get('{pool="lanes"}'), 0);
  assert.equal(waiting.get('{pool="reads"}'), 0);
  assert.equal((await samplesOf(url, 'freebets_lane_oldest_seconds')).get(''), 0);
  assert.ok(Number((await samplesOf(url, 'freebets_sweeper_lag_seconds')).get('')) < 60);
});

test('a server without a sweeper has no sweeper lag', async () => {
  const { url } = await testServer({ ...env, WORKER: 'off' });
  assert.deepEqual([...(await samplesOf(url, 'freebets_sweeper_lag_seconds'))], []);
});

test('lanes tell their depth, the size of their batches and how long a commit takes', async () => {
  await call(url, 'IssueBatch', { items: Array.from({ length: 40 }, () => directIssue()) });
  const commands = await samplesWhen(url, 'freebets_lane_batch_size_sum', (samples) => Number(samples.get('')) >= 40);
  const batches = await samplesOf(url, 'freebets_lane_batch_size_count');
  assert.ok(Number(batches.get('')) >= 1);
  assert.ok(Number(commands.get('')) >= 40 + Number(batches.get('')) - 1);
  for (const name of ['freebets_lane_commit_seconds', 'freebets_lane_load_seconds']) {
    assert.equal((await samplesOf(url, `${name}_count`)).get(''), batches.get(''));
    assert.ok(Number((await samplesOf(url, `${name}_sum`)).get('')) > 0);
  }
  assert.equal((await samplesOf(url, 'freebets_lane_depth')).get(''), 0);
  assert.equal((await samplesOf(url, 'freebets_database_up')).get(''), 1);
});

test('the metrics are in the format of Prometheus, with those of the process, and name no caller', async () => {
  const { headers, text, status } = await get(`${url}/metrics`);
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4|^application\/openmetrics-text/);
  assert.match(text, /^# HELP freebets_requests_total /m);
  assert.match(text, /^# TYPE freebets_requests_total counter$/m);
  assert.match(text, /^# TYPE freebets_request_seconds histogram$/m);
  assert.match(text, /^process_cpu_user_seconds_total /m);
  // The help may use these words; names, labels and values may not.
  assert.doesNotMatch(text.replaceAll(/^# HELP .*$/gm, ''), /client|player|partner/);
});

test('the metrics text is built at most once per second', async () => {
  const began = performance.now();
  const texts = await Promise.all(Array.from({ length: 40 }, async () => (await get(`${url}/metrics`)).text));
  const seconds = Math.ceil((performance.now() - began) / 1000);
  assert.ok(new Set(texts).size <= 1 + seconds, `${new Set(texts).size} in ${seconds} s`);
});

test('INTERNAL_PORT moves the probes to a separate port', async () => {
  const { url: outer, internalUrl = '' } = await testServer({ ...env, INTERNAL_PORT: '0' });
  assert.notEqual(new URL(internalUrl).port, new URL(outer).port);
  for (const address of [outer, internalUrl]) {
    const { headers } = await fetch(`${address}/readyz`);
    assert.equal(headers.get('keep-alive'), 'timeout=72');
  }
  for (const path of ['/livez', '/readyz', '/metrics']) {
    assert.equal((await get(internalUrl + path)).status, 200);
    refused('unknown_operation', await get(outer + path));
  }
  accepted('Issue', await call(outer, 'Issue', directIssue()));
  await samplesWhen(
    internalUrl,
    'freebets_requests_total',
    (samples) => samples.get('{operation="Issue",status="200",error=""}') === 1,
  );
  assert.deepEqual([...(await samplesOf(internalUrl, 'freebets_issued_total'))], [['{client_id="1"}', 1]]);
  assert.equal((await post(`${internalUrl}/v3/Game/List`, '{}', { 'content-type': 'application/json' })).status, 404);
});

test('the probes allow only GET and HEAD', async () => {
  for (const path of ['/livez', '/readyz', '/metrics']) {
    const answer = await post(url + path, '', {}, 'POST');
    refused('method_not_allowed', answer);
    assert.equal(answer.headers.allow, 'GET, HEAD');
  }
});
