import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { basePath, operations, sign } from '@freebets/contract';
import { accepted, refused } from '../../support/answers.ts';
import { type Answer, demo, json, post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { sendRaw } from '../../support/raw.ts';
import { testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const listUrl = url + basePath + operations.CampaignList.path;
const smallest = JSON.stringify({ client_id: demo.clientId });
const mebibyte = 1024 * 1024;

const signed = (body: string | Buffer) => ({ 'x-request-sign': sign(body, demo.secret) });
/** A valid request of exactly this many bytes. */
const padded = (bytes: number) => smallest + ' '.repeat(bytes - smallest.length);

/** In chunks, so that no header tells how much will come. */
function postChunked(body: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(listUrl, { method: 'POST', headers }, async (incoming) => {
      let text = '';
      for await (const chunk of incoming) text += chunk;
      resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text), headers: incoming.headers, text });
    });
    // A request that is refused before it was read whole may be cut off, after the response has arrived.
    outgoing.on('error', reject);
    for (let at = 0; at < body.length; at += 65_536) outgoing.write(body.slice(at, at + 65_536));
    outgoing.end();
  });
}

test('every operation of the contract is there under /v3, and nothing else', async () => {
  for (const { path, caller } of Object.values(operations)) {
    const answer = await post(url + basePath + path, '{}', json);
    refused('invalid_request', answer, [caller]);
  }
  const others = ['/v3', '/v3/', '/v3/Game', '/v3/game/list', '/v3/Game/List/', '/v3//Game/List', '/v4/Game/List'];
  const odd = ['/Game/List', '/v3/Game%2FList', '/v3/Game/List%00', '/v3/Game/List;x=1', `/v3/${'x'.repeat(5000)}`];
  for (const path of [...others, ...odd]) {
    refused('unknown_operation', await post(url + path, smallest, { ...json, ...signed(smallest) }));
  }
});

test('an address that cannot be decoded is an unknown operation like any other', async () => {
  refused('unknown_operation', await post(`${url}/v3/%`, smallest, { ...json, ...signed(smallest) }));
});

test('an address may come whole, as through a proxy', async () => {
  const head = [`POST ${listUrl} HTTP/1.1`, 'Host: x', 'Connection: close', 'Content-Type: application/json'];
  const signature = `X-Request-Sign: ${sign(smallest, demo.secret)}`;
  const said = [...head, signature, `Content-Length: ${smallest.length}`, '', smallest].join('\r\n');
  assert.match(await sendRaw(url, said), /^HTTP\/1\.1 200 /);
});

test('a query does not matter', async () => {
  accepted('CampaignList', await post(`${listUrl}?x=1`, smallest, { ...json, ...signed(smallest) }));
});

test('any other method is refused, with the one that is allowed', async () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
    for (const { path } of Object.values(operations)) {
      const answer = await post(url + basePath + path, '', {}, method);
      refused('method_not_allowed', answer);
      assert.equal(answer.headers.allow, 'POST', method);
    }
  }
  const head = await post(listUrl, '', {}, 'HEAD');
  assert.deepEqual([head.status, head.headers.allow, head.text], [405, 'POST', '']);
});

test('the content type must be JSON, however it is written', async () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;x=y',
  ]) {
    accepted('CampaignList', await post(listUrl, smallest, { 'content-type': type, ...signed(smallest) }));
  }
  for (const type of [
    'text/plain',
    'application/jsonp',
    'text/json',
    'application/x-www-form-urlencoded',
    'json',
    '*/*',
  ]) {
    refused('not_json', await post(listUrl, smallest, { 'content-type': type, ...signed(smallest) }));
  }
  refused('not_json', await post(listUrl, smallest, signed(smallest)));
});

test('a body in another encoding is not taken', async () => {
  for (const encoding of ['gzip', 'br', 'deflate']) {
    const headers = { ...json, 'content-encoding': encoding, ...signed(smallest) };
    refused('not_json', await post(listUrl, smallest, headers));
  }
  const identity = { ...json, 'content-encoding': 'identity', ...signed(smallest) };
  accepted('CampaignList', await post(listUrl, smallest, identity));
});

test('a body of exactly 1 MiB is taken, and not one byte more', async () => {
  const fits = padded(mebibyte);
  accepted('CampaignList', await post(listUrl, fits, { ...json, ...signed(fits) }));
  const over = padded(mebibyte + 1);
  refused('body_too_large', await post(listUrl, over, { ...json, ...signed(over) }));
});

test('the same holds for a body that comes in chunks', async () => {
  const fits = padded(mebibyte);
  accepted('CampaignList', await postChunked(fits, { ...json, ...signed(fits) }));
  const over = padded(mebibyte + 1);
  refused('body_too_large', await postChunked(over, { ...json, ...signed(over) }));
});

test('a body that is absent or empty is not JSON', async () => {
  refused('invalid_request', await post(listUrl, '', { ...json, ...signed('') }), ['']);
  refused('invalid_request', await postChunked('', { ...json, ...signed('') }), ['']);
});

test('bytes that are not HTTP get an error with a request id in body and header, and the connection closes', async () => {
  const [head = '', body = ''] = (await sendRaw(url, 'this is not HTTP\r\n\r\n')).split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 400 /);
  const { error, code, request_id } = JSON.parse(body);
  assert.deepEqual([error, code], ['invalid_request', 400]);
  assert.match(head, new RegExp(`^x-request-id: ${request_id}$`, 'im'));
});

test('headers beyond all measure are refused, and the server goes on', async () => {
  const answer = await sendRaw(url, `POST /v3/Game/List HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 4\d\d /);
  accepted('CampaignList', await post(listUrl, smallest, { ...json, ...signed(smallest) }));
});
