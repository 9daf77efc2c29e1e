import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { signRequest } from '@freebets/client';
import { sign } from '@freebets/contract';
import { accepted, refused } from '../../support/answers.ts';
import { call, demo, json, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { directIssue } from '../../support/requests.ts';
import { serverProcess, testServer } from '../../support/server.ts';

const { env } = await testDatabase();

const invalidItems = (count: number) => Array.from({ length: count }, () => ({}));

/** Sends one request on a connection of its own; `sent` resolves when its last byte has left, `answered` with the status. */
async function post(url: string, body: object) {
  const {
    path,
    headers,
    body: bytes,
  } = await signRequest((text) => sign(text, demo.secret), 'IssueBatch', Buffer.from(JSON.stringify(body)));
  const outgoing = request(url + path, { method: 'POST', agent: false, headers });
  const sent = once(outgoing, 'finish');
  const answered = once(outgoing, 'response').then(async ([response]) => {
    response.resume();
    await once(response, 'end');
    return response.statusCode as number;
  });
  outgoing.end(bytes);
  return { sent, answered };
}

test('batches that wait to be checked do not hold up another partner', async () => {
  const { url } = await serverProcess(env);
  accepted('CampaignList', await call(url, 'CampaignList', {}, rival));
  const count = 80;
  let answered = 0;
  const body = { client_id: demo.clientId, items: invalidItems(1000) };
  const batches = await Promise.all(Array.from({ length: count }, () => post(url, body)));
  const all = batches.map(async (batch) => {
    const status = await batch.answered;
    answered += 1;
    return status;
  });
  await Promise.all(batches.map(({ sent }) => sent));
  accepted('CampaignList', await call(url, 'CampaignList', {}, rival));
  assert.ok(answered < count / 2, `${answered} of ${count} batches were finished first`);
  assert.deepEqual(new Set(await Promise.all(all)), new Set([200]));
});

test('a batch for which the queue has no room is refused before its items are checked', async () => {
  const { url } = await testServer({ ...env, LANE_QUEUE: '100' });
  refused('unavailable', await call(url, 'IssueBatch', { items: invalidItems(101) }));
  const { results } = accepted('IssueBatch', await call(url, 'IssueBatch', { items: invalidItems(100) }));
  assert.equal(results.length, 100);
  refused('unavailable', await call(url, 'CancelBatch', { issue_ids: Array(101).fill('no UUID') }));
  refused('invalid_request', await call(url, 'CancelBatch', { issue_ids: Array(100).fill('no UUID') }));
});

test('a batch that only contains the word dry_run is no dry run', async () => {
  const { url } = await testServer({ ...env, LANE_QUEUE: '100' });
  const items = [...invalidItems(100), { player_id: 'dry_run', dry_run: true }];
  // Had the items been checked, each would have been refused by itself.
  for (const more of [{}, { dry_run: false }])
    refused('unavailable', await call(url, 'IssueBatch', { items, ...more }));
  accepted('IssueBatch', await call(url, 'IssueBatch', { items, dry_run: true }));
});

test('a dry run and a list that is too long need no room in the queue', async () => {
  const { url } = await testServer({ ...env, LANE_QUEUE: '1' });
  const items = Array.from({ length: 100 }, () => directIssue());
  const tried = accepted('IssueBatch', await call(url, 'IssueBatch', { items, dry_run: true }));
  assert.equal(tried.results[99]?.status, 'active');
  refused('unavailable', await call(url, 'IssueBatch', { items, dry_run: false }));
  refused('invalid_request', await call(url, 'IssueBatch', { items: invalidItems(1001) }), ['items']);
});

test('items have a rate of their own, which one request for many of them uses up', async () => {
  const { url } = await testServer({ ...env, RATE_LIMIT: '1000', ITEM_RATE_LIMIT: '1000', ITEM_RATE_BURST: '5000' });
  const first = await call(url, 'IssueBatch', { items: invalidItems(1000) });
  accepted('IssueBatch', first);
  assert.equal(first.headers['ratelimit-policy'], '"caller";q=2000;w=2, "items";q=5000;w=5');
  assert.match(String(first.headers.ratelimit), /^"caller";r=1999;t=0, "items";r=4\d\d\d;t=0$/);
  const more = await Promise.all(
    Array.from({ length: 9 }, () => call(url, 'IssueBatch', { items: invalidItems(1000) })),
  );
  const over = more.filter(({ status }) => status === 429);
  assert.ok(over.length > 0 && over.length <= 5, `${over.length} were refused`);
  for (const answer of over) {
    refused('too_many_requests', answer);
    assert.match(String(answer.headers['retry-after']), /^[12]$/);
    assert.match(String(answer.headers.ratelimit), /"items";r=\d+;t=[12]$/);
  }
  const single = await call(url, 'Issue', directIssue());
  accepted('Issue', single);
  assert.match(String(single.headers.ratelimit), /^"caller";r=\d+;t=0$/, 'a single request is not held against it');
  accepted('IssueBatch', await call(url, 'IssueBatch', { items: [directIssue()] }, rival));
});

test('all addresses of an IPv6 /64 are one caller until their signature is checked', async () => {
  const { url } = await testServer({ ...env, BODIES_MIB: '1', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' });
  const padded = (bytes: number) => Buffer.from(JSON.stringify({ client_id: demo.clientId, pad: 'x'.repeat(bytes) }));
  const ofStrangers = Array.from({ length: 70 }, (_, i) => ({
    body: padded(17_000),
    headers: { 'x-request-sign': '0'.repeat(64), 'x-forwarded-for': `2001:db8::${i.toString(16)}` },
  }));
  const body = padded(40_000);
  const own = {
    body,
    headers: { 'x-request-sign': sign(body.toString(), demo.secret), 'x-forwarded-for': '192.0.2.1' },
  };
  const all = [own, ...ofStrangers];
  // On connections that are open, all bodies arrive in one turn of the event loop, before the first of them has its turn.
  const agent = new Agent({ keepAlive: true, maxSockets: all.length });
  const send = ({ body: bytes, headers }: typeof own) =>
    new Promise<number>((resolve, reject) => {
      const given = { ...json, 'content-length': String(bytes.length), ...headers };
      const outgoing = request(`${url}/v3/Game/List`, { method: 'POST', agent, headers: given }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode as number));
      });
      outgoing.on('error', reject).end(bytes);
    });
  await Promise.all(all.map(() => send({ ...own, body: Buffer.from('{}') })));
  const [status, ...others] = await Promise.all(all.map(send));
  agent.destroy();
  assert.ok(others.includes(503), 'too many bytes waited');
  assert.equal(status, 400);
});

test('a large body waits for both its turns together no longer than the deadline', async (t) => {
  const deadlineMs = 5000;
  const { url } = await testServer({ ...env, REQUEST_DEADLINE_MS: String(deadlineMs) });
  const body = { items: [], pad: 'x'.repeat(20_000) };
  refused('invalid_request', await call(url, 'IssueBatch', body));
  const { now } = performance;
  const { setImmediate: soon } = globalThis;
  let passedMs = 0;
  t.mock.method(performance, 'now', () => now.call(performance) + passedMs);
  t.mock.method(globalThis, 'setImmediate', (run: () => void, ...given: []) => {
    if (run.name === 'runSlice') passedMs += 0.7 * deadlineMs;
    return soon(run, ...given);
  });
  refused('unavailable', await call(url, 'IssueBatch', body));
});

test('items of small batches count as well', async () => {
  const { url } = await testServer({ ...env, ITEM_RATE_LIMIT: '1', ITEM_RATE_BURST: '5000' });
  for (const count of [1000, 1000, 1000, 1000, 990]) {
    accepted('IssueBatch', await call(url, 'IssueBatch', { items: invalidItems(count) }));
  }
  refused('too_many_requests', await call(url, 'IssueBatch', { items: invalidItems(16) }));
  refused('too_many_requests', await call(url, 'CancelBatch', { issue_ids: Array(16).fill('no UUID') }));
});

test('a batch of errors has the error of each item, and the details of the first ones only', async () => {
  const { url } = await testServer(env);
  const answer = await call(url, 'IssueBatch', { items: invalidItems(1000) });
  const { results } = accepted('IssueBatch', answer);
  assert.ok(results.every((result: { error: { error: string } }) => result.error.error === 'invalid_request'));
  const detailed = results.filter((result: { error: { details?: unknown[] } }) => result.error.details !== undefined);
  assert.ok(detailed.length > 0 && detailed.length <= 100, `${detailed.length} with details`);
  assert.deepEqual(results.slice(0, detailed.length), detailed);
  assert.ok(answer.text.length < 160 * 1024, `${answer.text.length} bytes`);
  const wordy = Array.from({ length: 100 }, () => ({ ['x'.repeat(100_000 / 100)]: 1 }));
  const wordyAnswer = await call(url, 'IssueBatch', { items: wordy });
  accepted('IssueBatch', wordyAnswer);
  assert.ok(wordyAnswer.text.length < 40 * 1024, `${wordyAnswer.text.length} bytes`);
});
