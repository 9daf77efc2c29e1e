import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basePath, operations, sign } from '@freebets/contract';
import { demo, json, post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const path = basePath + operations.CampaignList.path;
const good = JSON.stringify({ client_id: demo.clientId });
const made = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const send = (body: string, requestId?: string) =>
  post(url + path, body, {
    ...json,
    'x-request-sign': sign(body, demo.secret),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  });

test('a response repeats the request id of the caller', async () => {
  for (const id of ['a', 'Order_42.retry-1', 'x'.repeat(64), '0']) {
    assert.equal((await send(good, id)).headers['x-request-id'], id);
    const wrong = await send('{}', id);
    assert.equal(wrong.headers['x-request-id'], id);
    assert.equal(wrong.body.request_id, id);
  }
});

test('a malformed request id is replaced', async () => {
  for (const id of ['', 'x'.repeat(65), 'a b', 'a/b', 'é', '<script>', '"', 'a,b']) {
    const answer = await send('{}', id);
    assert.match(String(answer.headers['x-request-id']), made);
    assert.equal(answer.body.request_id, answer.headers['x-request-id']);
  }
});

test('each response without a given request id has a new one', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await send(good)).headers['x-request-id']));
  assert.equal(new Set(ids).size, 20);
  for (const id of ids) assert.match(String(id), made);
});

test('every response has it: 200, 404, 405, 413, 415, a page, a missing picture', async () => {
  const signed = { 'x-request-sign': sign(good, demo.secret), 'x-request-id': 'kept' };
  const answers = [
    await post(url + path, good, { ...json, ...signed }),
    await post(`${url}/v3/Nothing`, good, { ...json, ...signed }),
    await post(url + path, '', signed, 'GET'),
    await post(url + path, ' '.repeat(1024 * 1024 + 1), { ...json, ...signed }),
    await post(url + path, good, { 'content-type': 'text/plain', ...signed }),
    await post(`${url}/livez`, '', signed, 'GET'),
    await post(`${url}/openapi.json`, '', signed, 'GET'),
    await post(`${url}/assets/games/none/square.svg`, '', signed, 'GET'),
    await post(`${url}/assets/games/none/square.svg`, '', signed, 'POST'),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 405, 413, 415, 200, 200, 404, 404],
  );
  for (const { headers } of answers) assert.equal(headers['x-request-id'], 'kept');
});
