import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientOptions, Partner, type RequestLog, type ResponseLog, ServerError } from '@freebets/client';
import { demo } from '../support/caller.ts';
import { directIssue } from '../support/requests.ts';
import {
  addressesOfNoService,
  drop,
  type FaultyServer,
  faultyServer,
  ok,
  type Reply,
  refusal,
} from './faulty-server.ts';

// The HTTP side of a call: the request ID, headers and log hooks.

const partnerOf = ({ url }: FaultyServer, options: Partial<ClientOptions> = {}) =>
  new Partner({ baseUrl: url, ...demo, ...options });
const of = { campaign_id: 'one' };

/** A response with a request ID. */
const named =
  (requestId: string, body: object = {}): Reply =>
  (response) =>
    response.writeHead(200, { 'x-request-id': requestId }).end(JSON.stringify(body));

test('a response has its request ID in a property that is not enumerable', async () => {
  const page = { campaigns: [], next_cursor: null };
  const server = await faultyServer(named('first'), named('second', page), named('third', page), ok());
  const { campaigns } = partnerOf(server);
  const stopped = await campaigns.stop(of);
  assert.equal(stopped.requestId, 'first');
  assert.deepEqual([Object.keys(stopped), JSON.stringify(stopped)], [[], '{}']);
  const list = await campaigns.list();
  assert.equal(list.requestId, 'second');
  assert.deepEqual({ ...list }, page);
  assert.equal((await partnerOf(server).call('CampaignList', {})).requestId, 'third');
  assert.equal((await campaigns.stop(of)).requestId, undefined, 'without the header');
});

test('the request ID of a batch is that of its last response', async () => {
  const results = [{ issue_id: 'one' }, { issue_id: 'two', error: { error: 'unavailable' } }];
  const server = await faultyServer(named('first', { results }), named('second', { results: [{ issue_id: 'two' }] }));
  const batch = await partnerOf(server).freeBets.issueBatch({ items: [directIssue(), directIssue()] });
  assert.deepEqual(batch, { results: [{ issue_id: 'one' }, { issue_id: 'two' }] });
  assert.equal(batch.requestId, 'second');
});

test('every attempt has a User-Agent with the version of the client and of the runtime', async () => {
  const server = await faultyServer(refusal({ error: 'unavailable' }, { 'retry-after': '0' }), ok());
  await partnerOf(server).campaigns.stop(of);
  const { default: manifest } = await import('../../packages/client/package.json', { with: { type: 'json' } });
  const agent = `freebets-client/${manifest.version} node/${process.versions.node}`;
  assert.deepEqual(
    server.received.map(({ headers }) => headers['user-agent']),
    [agent, agent],
  );
});

test('a browser gets no User-Agent header', async () => {
  const load = async (as: string): Promise<object> =>
    (await import(`../../packages/client/src/user-agent.ts?${as}`)).userAgent;
  assert.deepEqual(Object.keys(await load('server')), ['user-agent']);
  Object.assign(globalThis, { document: {} });
  try {
    assert.deepEqual(await load('browser'), {});
  } finally {
    Reflect.deleteProperty(globalThis, 'document');
  }
});

test('headers of the client and of a call are sent, but replace no header of the signature', async () => {
  const server = await faultyServer(ok());
  const forged = { 'X-REQUEST-SIGN': 'forged', 'Content-Type': 'text/plain' };
  const client = partnerOf(server, { headers: { ...forged, traceparent: 'of-client', 'x-team': 'promo' } });
  await client.campaigns.stop(of, { headers: { ...forged, Traceparent: 'of-call', 'User-Agent': 'own' } });
  const [{ headers } = assert.fail()] = server.received;
  assert.match(String(headers['x-request-sign']), /^[0-9a-f]{64}$/);
  assert.deepEqual(
    [headers['content-type'], headers.traceparent, headers['x-team'], headers['user-agent']],
    ['application/json', 'of-call', 'promo', 'own'],
  );
});

test('the hooks get every attempt, without a secret, a signature or a body', async () => {
  const server = await faultyServer(drop, refusal({ error: 'unavailable' }), named('third'));
  const [requests, responses]: [RequestLog[], ResponseLog[]] = [[], []];
  const hooks = {
    onRequest: (one: RequestLog) => requests.push(one),
    onResponse: (one: ResponseLog) => responses.push(one),
  };
  await partnerOf(server, { ...hooks, signing: 'strict', headers: { authorization: 'private' } }).campaigns.stop(of);
  const url = `${server.url}/v3/FreeBets/Campaign/Stop`;
  assert.deepEqual(
    requests,
    [1, 2, 3].map((attempt) => ({ operation: 'CampaignStop', url, attempt })),
  );
  assert.deepEqual(
    responses.map(({ attempt, status, requestId, error }) => [attempt, status, requestId, error?.name]),
    [
      [1, undefined, undefined, 'no_answer'],
      [2, 503, 'request-1', 'unavailable'],
      [3, 200, 'third', undefined],
    ],
  );
  assert.ok(responses.every(({ durationMs }) => durationMs >= 0));
  assert.ok(responses[1]?.error instanceof ServerError);
  const logged = JSON.stringify([requests, responses]);
  const signatures = server.received.map(({ headers }) => String(headers['x-request-sign']));
  for (const hidden of [demo.secret, 'private', 'campaign_id', ...signatures]) assert.ok(!logged.includes(hidden));
});

test('a failing hook does not change the result of a call', async () => {
  const server = await faultyServer(ok());
  const fail = () => {
    throw new Error('of a hook');
  };
  const result = await partnerOf(server, { onRequest: fail, onResponse: async () => fail() }).campaigns.stop(of);
  assert.deepEqual(result, {});
  assert.equal(server.received.length, 1);
});

test('a request that was never sent is in the log too', async () => {
  const responses: ResponseLog[] = [];
  const options = { maxRetries: 0, onResponse: (one: ResponseLog) => responses.push(one) };
  const { refused } = await addressesOfNoService();
  const { campaigns } = partnerOf({ url: refused, received: [] }, options);
  await assert.rejects(campaigns.stop(of), { name: 'no_answer' });
  assert.deepEqual(
    responses.map(({ status, error }) => [status, error?.mayHaveHappened]),
    [[undefined, false]],
  );
});
