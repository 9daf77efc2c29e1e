import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { basePath, operations, sign } from '@freebets/contract';
import { call, demo, json, post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { sendRaw } from '../../support/raw.ts';
import { testServer } from '../../support/server.ts';
import { staffCall } from '../../support/staff.ts';

const PUBLIC_URL = 'https://bets.example/free';
const { env } = await testDatabase();
const { url } = await testServer({ ...env, PUBLIC_URL });

const path = url + basePath + operations.CampaignGet.path;

test('every error response links the page of its error', async () => {
  const body = JSON.stringify({ client_id: demo.clientId, campaign_id: 'none' });
  const signed = { ...json, 'x-request-sign': sign(body, demo.secret) };
  const answers = [
    await post(path, body, signed),
    await post(path, body, { ...signed, 'x-request-sign': 'wrong' }),
    await post(path, '{}', signed),
    await post(path, ' '.repeat(1024 * 1024 + 1), signed),
    await post(path, body, { ...signed, 'content-type': 'text/plain' }),
    await post(path, '', {}, 'GET'),
    await post(`${url}/nothing`, '', {}, 'GET'),
    await post(`${url}${basePath}/Nothing`, body, signed),
    await staffCall(url, '/Session/Get', {}),
  ];
  assert.deepEqual(
    answers.map(({ status, body: { error, doc_url } }) => [status, error, doc_url]),
    [
      [404, 'campaign_not_found'],
      [403, 'forbidden'],
      [400, 'invalid_request'],
      [413, 'body_too_large'],
      [415, 'not_json'],
      [405, 'method_not_allowed'],
      [404, 'unknown_operation'],
      [404, 'unknown_operation'],
      [401, 'not_signed_in'],
    ].map(([status, error]) => [status, error, `${PUBLIC_URL}/docs/reference/errors#${error}`]),
  );
});

test('a request that is not HTTP is refused with the page of the error too', async () => {
  const [head = '', body = ''] = (await sendRaw(url, 'POST / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n')).split('\r\n\r\n');
  assert.match(head, /^HTTP\/1.1 400/);
  assert.equal(JSON.parse(body).doc_url, `${PUBLIC_URL}/docs/reference/errors#invalid_request`);
});

test('the errors of items in a batch have no link', async () => {
  const { status, body } = await call(url, 'CancelBatch', { issue_ids: [randomUUID()] });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.results[0].error), ['code', 'error', 'message']);
});
