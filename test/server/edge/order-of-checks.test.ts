import { test } from 'node:test';
import { basePath, operations, sign } from '@freebets/contract';
import { refused } from '../../support/answers.ts';
import { demo, post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';

// Path, method, content type, size, JSON, the caller's id, signature, rate, schema, rules. Each request here is wrong in
// two ways that stand side by side, or in all that follow, and gets the earlier answer.

const { env } = await testDatabase();
const { url } = await testServer(env);
const { url: limitedUrl } = await testServer({ ...env, RATE_LIMIT: '1', RATE_BURST: '1' });

const issuePath = basePath + operations.Issue.path;
const tooLarge = `{"client_id":${' '.repeat(1024 * 1024)}`;
const broken = '{"client_id":1';
const withoutCaller = '{"quantity":0}';
const withoutSchema = JSON.stringify({ client_id: demo.clientId, quantity: 0 });
const againstRules = JSON.stringify({ client_id: demo.clientId, ...directIssue({ games: ['no-such-game'] }) });

interface Wrong {
  path?: string;
  method?: string;
  type?: string;
  body: string;
  signature?: string;
  to?: string;
}

function send({ path = issuePath, method = 'POST', type = 'application/json', body, signature, to = url }: Wrong) {
  const signed = signature ?? sign(body, demo.secret);
  return post(to + path, body, { 'content-type': type, 'x-request-sign': signed }, method);
}

test('path before method', async () => {
  refused('unknown_operation', await send({ path: '/v3/FreeBets/Nothing', method: 'PUT', body: broken }));
  refused('unknown_operation', await send({ path: '/v3/FreeBets/Nothing', method: 'GET', body: '' }));
});

test('path before content type and everything behind it', async () => {
  refused('unknown_operation', await send({ path: '/v2/FreeBets/Issue', type: 'text/plain', body: tooLarge }));
});

test('method before content type', async () => {
  refused('method_not_allowed', await send({ method: 'PUT', type: 'text/plain', body: broken }));
});

test('method before size', async () => {
  refused('method_not_allowed', await send({ method: 'PUT', body: tooLarge }));
});

test('content type before size', async () => {
  refused('not_json', await send({ type: 'text/plain', body: tooLarge }));
});

test('content type before JSON', async () => {
  refused('not_json', await send({ type: 'text/plain', body: broken }));
});

test('size before JSON', async () => {
  refused('body_too_large', await send({ body: tooLarge }));
});

test('JSON before the id of the caller', async () => {
  refused('invalid_request', await send({ body: '[]' }), ['']);
});

test('JSON before the signature', async () => {
  refused('invalid_request', await send({ body: broken, signature: 'wrong' }), ['']);
});

test('the id of the caller before the signature', async () => {
  refused('invalid_request', await send({ body: withoutCaller, signature: 'wrong' }), ['client_id']);
});

test('the id of the caller before the schema: only the id is named', async () => {
  refused('invalid_request', await send({ body: withoutCaller }), ['client_id']);
});

/** One request a second is allowed, so that of a few in a row one is over the rate. */
async function overRate(body: string) {
  for (let sent = 0; sent < 20; sent++) {
    const answer = await send({ body, to: limitedUrl });
    if (answer.status === 429) return answer;
  }
  throw new Error('twenty requests in a row, and none was over the rate');
}

test('signature before rate', async () => {
  await overRate(withoutSchema);
  refused('forbidden', await send({ body: withoutSchema, signature: 'wrong', to: limitedUrl }));
});

test('signature before schema', async () => {
  refused('forbidden', await send({ body: withoutSchema, signature: 'wrong' }));
});

test('rate before schema, and before the rules', async () => {
  refused('too_many_requests', await overRate(withoutSchema));
  refused('too_many_requests', await overRate(againstRules));
});

test('schema before the rules', async () => {
  const both = JSON.stringify({ ...JSON.parse(againstRules), quantity: 0 });
  refused('invalid_request', await send({ body: both }), ['quantity']);
  refused('game_not_available', await send({ body: againstRules }));
});
